// The right side: one page, sharp, with the rectangles of its citations and a text layer over it.

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
const SCALES = [1, 1.5, 2, 3, 4]; // pixels per point a page is rendered at; few, so that images are shared and cached
const PADDING = 1.5; // points around a rectangle
const THUMB_SCALE = 0.2;
const THUMBS = 240; // at most this many small pages at once, around the one that is open
const READABLE = 9; // CSS pixels a marked line should be high on a small screen

class Pages {
  // Page data and images by content-addressed address; each is fetched once.
  constructor() {
    this.pages = new Map();
    this.images = new Map();
  }

  page(address) {
    return this.once(this.pages, address, async () => {
      const reply = await fetch(address, { credentials: "same-origin" });
      const body = await reply.json();
      if (!reply.ok) throw new Error(body.message || `The page could not be read (${reply.status}).`);
      return body;
    });
  }

  image(address, password) {
    return this.once(this.images, address, async () => {
      const source = password ? await this.unlocked(address, password) : address;
      const image = new Image();
      image.src = source;
      await image.decode().catch(async () => {
        throw await this.trouble(await fetch(address, { credentials: "same-origin" }));
      });
      return source;
    });
  }

  async unlocked(address, password) {
    const headers = { "X-Document-Password": encodeURIComponent(password) };
    const reply = await fetch(address, { credentials: "same-origin", cache: "no-store", headers });
    if (!reply.ok) throw await this.trouble(reply);
    return URL.createObjectURL(await reply.blob());
  }

  async trouble(reply) {
    // An image that does not load says nothing; the server's reply to its address does.
    const body = await reply.json().catch(() => ({}));
    return Object.assign(new Error(body.message || "The page could not be shown."), { locked: Boolean(body.locked) });
  }

  once(store, key, start) {
    if (!store.has(key)) {
      const going = start();
      store.set(key, going);
      going.catch(() => store.delete(key));
    }
    return store.get(key);
  }
}

class Viewer {
  constructor(root, { onPick, onMove, onBack, onStep }) {
    this.find = (selector) => root.querySelector(selector);
    this.on = { onPick, onMove, onBack, onStep };
    this.pages = new Pages();
    this.passwords = new Map(); // of encrypted documents, in this tab's memory and nowhere else
    this.zoom = "fit";
    this.at = { document: null, page: 1 };
    this.documents = {};
    this.marks = [];
    this.tabs = [];
    this.turn = 0;
    this.wire();
  }

  wire() {
    const click = (selector, action) => this.find(selector).addEventListener("click", action);
    click(".prev", () => this.turnTo(this.at.page - 1));
    click(".next", () => this.turnTo(this.at.page + 1));
    click(".prev-cite", () => this.on.onStep(-1));
    click(".next-cite", () => this.on.onStep(1));
    click(".out", () => this.zoomBy(-1));
    click(".in", () => this.zoomBy(1));
    click(".fit", () => this.zoomTo("fit"));
    click(".back", () => this.on.onBack());
    click(".show-thumbs", () => this.toggleThumbs());
    this.find(".unlock").addEventListener("submit", (event) => {
      event.preventDefault();
      this.unlock(this.find(".secret"));
    });
    const number = this.find(".number");
    number.addEventListener("change", () => this.turnTo(Number.parseInt(number.value, 10)));
    number.addEventListener("focus", () => number.select());
    this.find(".text").addEventListener("click", (event) => this.hit(event));
    this.watcher = new ResizeObserver(debounce(60, () => this.zoom === "fit" && this.layout()));
    this.watcher.observe(this.find(".stage"));
  }

  destroy() {
    this.watcher.disconnect();
  }

  update(documents, tabs, idle) {
    this.documents = documents;
    setText(this.find(".idle"), idle || "");
    for (const id of tabs) if (!this.tabs.includes(id)) this.tabs.push(id);
    this.tabs = this.tabs.filter((id) => documents[id]);
    if (this.at.document && !documents[this.at.document]) this.leave();
    if (this.loaded) this.describe();
    this.drawTabs();
  }

  leave() {
    this.turn += 1;
    this.at = { document: null, page: 1 };
    this.loaded = false;
    setShown(this.find(".paper"), false);
    this.drawBar();
  }

  drawTabs() {
    const box = this.find(".tabs");
    setShown(box, this.tabs.length > 1);
    const create = (id) => {
      const tab = make("button", { type: "button", className: "tab", role: "tab" });
      tab.addEventListener("click", () => this.moveTo(id, this.last?.[id] || 1));
      return tab;
    };
    reconcile(box, this.tabs, (id) => id, create, (tab, id) => {
      setText(tab, this.documents[id].name);
      tab.title = this.documents[id].name;
      tab.classList.toggle("removed", Boolean(this.documents[id].removed));
      tab.setAttribute("aria-selected", String(id === this.at.document));
    });
  }

  turnTo(page) {
    const count = this.documents[this.at.document]?.pages || 0;
    if (!count || Number.isNaN(page)) return this.drawBar();
    const wanted = Math.min(count, Math.max(1, page));
    if (wanted === this.at.page) return this.drawBar();
    return this.moveTo(this.at.document, wanted);
  }

  moveTo(document, page) {
    this.on.onMove(document, page);
    return this.open(document, page);
  }

  // Show a page; `chosen` is the key of the strong citation, scrolled into view.
  async open(document, page, chosen = null) {
    if (!this.documents[document]) return;
    const moved = document !== this.at.document || page !== this.at.page;
    const turn = ++this.turn;
    this.at = { document, page };
    this.last = { ...this.last, [document]: page };
    this.chosen = chosen;
    this.drawBar();
    this.drawTabs();
    if (!moved && this.loaded) {
      this.drawMarks();
      this.approach();
      return;
    }
    await this.load(turn);
  }

  async load(turn) {
    const { document, page } = this.at;
    try {
      const data = await this.pages.page(this.address(document, page));
      if (turn !== this.turn) return;
      this.data = data;
      const image = await this.pages.image(this.imageAddress(document, page, data), this.passwords.get(document));
      if (turn !== this.turn) return;
      this.show(image);
      this.ahead();
    } catch (error) {
      if (turn === this.turn) this.fail(error.message || "The page could not be shown.", error.locked);
    }
  }

  async unlock(field) {
    this.passwords.set(this.at.document, field.value);
    field.value = "";
    await this.load(++this.turn);
  }

  fail(message, locked = false) {
    this.loaded = false;
    setShown(this.find(".unlock"), locked);
    setShown(this.find(".paper"), false);
    setShown(this.find(".trouble"), true);
    setText(this.find(".trouble"), message);
    setText(this.find(".idle"), "");
  }

  show(image) {
    this.loaded = true;
    setShown(this.find(".trouble"), false);
    setShown(this.find(".unlock"), false);
    setShown(this.find(".paper"), true);
    setText(this.find(".idle"), "");
    this.find(".paper img").src = image;
    this.describe();
    this.drawText();
    this.drawThumbs();
    this.layout();
    if (this.chosen) this.approach();
    else this.find(".stage").scrollTop = 0;
  }

  describe() {
    this.find(".paper img").alt = `Page ${this.data.label} of ${this.documents[this.at.document].name}`;
  }

  // On a small screen a whole page is too small to read: come as close as the chosen words need.
  approach() {
    const mark = this.here().find((item) => item.key === this.chosen);
    const small = this.find(".stage").clientWidth < 600;
    if (mark && mark.boxes.length && small && this.zoom === "fit") {
      const [, top, , bottom] = mark.boxes[0];
      const wanted = READABLE / Math.max(1, bottom - top);
      if (this.scale < wanted) {
        this.scale = wanted;
        this.layout(this.data.width * wanted);
      }
    }
    this.reveal();
  }

  address(document, page) {
    return `${this.documents[document].address}/${page}.json`;
  }

  imageAddress(document, page, data) {
    const wanted = this.width(data) / data.width * (window.devicePixelRatio || 1);
    const scale = SCALES.find((step) => step >= wanted - 0.01) || SCALES[SCALES.length - 1];
    return `${this.documents[document].address}/${page}.png?scale=${scale}`;
  }

  // Width of the paper in CSS pixels. Very wide pages stay whole, tall ones fill the width.
  width(data) {
    const room = Math.max(200, this.find(".stage").clientWidth - 24);
    return this.zoom === "fit" ? Math.min(room, data.width * 2) : data.width * this.zoom * 96 / 72;
  }

  layout(width = this.loaded && this.width(this.data)) {
    if (!this.loaded) return;
    this.scale = width / this.data.width;
    const paper = this.find(".paper");
    paper.style.width = `${width}px`;
    paper.style.height = `${this.data.height * this.scale}px`;
    paper.style.setProperty("--scale", String(this.scale));
    this.drawMarks();
    const { document, page } = this.at;
    const sharper = this.imageAddress(document, page, this.data);
    const picture = this.find(".paper img");
    if (picture.getAttribute("src") !== sharper) {
      this.pages.image(sharper, this.passwords.get(document)).then((source) => {
        if (this.at.document === document && this.at.page === page) picture.src = source;
      }, () => {});
    }
  }

  zoomBy(step) {
    if (!this.loaded) return;
    const now = this.width(this.data) / (this.data.width * 96 / 72);
    const next = step > 0 ? ZOOMS.find((zoom) => zoom > now + 0.01) : ZOOMS.findLast((zoom) => zoom < now - 0.01);
    if (next) this.zoomTo(next);
  }

  zoomTo(zoom) {
    this.zoom = zoom;
    this.layout();
    if (this.chosen) this.reveal();
  }

  // Rectangles of every citation on this page: [{key, claim, index, status, boxes, label}]
  setMarks(marks) {
    this.marks = marks;
    if (this.loaded) this.drawMarks();
  }

  here() {
    return this.marks.filter((mark) => mark.document === this.at.document && mark.page === this.at.page);
  }

  // Several claims may rest on the same words: one rectangle then, the chosen claim's if it is among them.
  distinct() {
    const marks = [...this.here()].sort((a, b) => (b.key === this.chosen) - (a.key === this.chosen));
    return [...new Map(marks.reverse().map((mark) => [JSON.stringify(mark.boxes), mark])).values()];
  }

  drawMarks() {
    const place = (node, box) => {
      const [x0, y0, x1, y1] = box.map((value) => value * this.scale);
      const pad = Math.min(2, PADDING * this.scale);
      Object.assign(node.style, { left: `${x0 - pad}px`, top: `${y0 - pad}px`, width: `${x1 - x0 + 2 * pad}px`, height: `${y1 - y0 + 2 * pad}px` });
    };
    const boxes = this.distinct().flatMap((mark) => mark.boxes.map((box, line) => ({ mark, box, line })));
    const create = ({ mark, line }) => {
      const node = make("button", { type: "button", tabIndex: line ? -1 : 0 });
      if (line) node.setAttribute("aria-hidden", "true");
      else node.setAttribute("aria-label", mark.label);
      node.addEventListener("click", () => this.on.onPick(mark.claim, mark.index));
      return node;
    };
    reconcile(this.find(".marks"), boxes, ({ mark, line }) => `${mark.key}/${line}`, create, (node, { mark, box }) => {
      node.className = `mark ${mark.status}${mark.key === this.chosen ? " chosen" : ""}`;
      node.dataset.claim = mark.claim;
      place(node, box);
    });
  }

  drawText() {
    const layer = this.find(".text");
    const lines = this.data.lines.map(([text, x0, y0, x1, y1, turn]) => {
      const span = make("span", { textContent: text });
      const upright = turn === 0;
      const tall = upright ? y1 - y0 : x1 - x0;
      span.style.setProperty("--x", x0);
      span.style.setProperty("--y", y0);
      span.style.setProperty("--size", tall);
      span.style.setProperty("--turn", `${turn}deg`);
      span.long = upright ? x1 - x0 : y1 - y0;
      span.tall = tall;
      return [span, make("br")];
    });
    layer.replaceChildren(...lines.flat());
    const pen = Viewer.pen || (Viewer.pen = document.createElement("canvas").getContext("2d"));
    pen.font = "100px sans-serif";
    for (const [span] of lines) {
      const natural = pen.measureText(span.textContent).width / 100 * span.tall;
      span.style.setProperty("--stretch", natural ? span.long / natural : 1);
      if (span.style.getPropertyValue("--turn") === "90deg") span.style.setProperty("--x", Number(span.style.getPropertyValue("--x")) + span.tall);
      if (span.style.getPropertyValue("--turn") === "270deg") span.style.setProperty("--y", Number(span.style.getPropertyValue("--y")) + span.long);
    }
  }

  // The text layer lies over the rectangles so that cited text can be selected; a plain click is passed through.
  hit(event) {
    const root = this.find(".paper").getRootNode();
    const selection = root.getSelection ? root.getSelection() : window.getSelection();
    if (selection && !selection.isCollapsed) return;
    const paper = this.find(".paper").getBoundingClientRect();
    const x = (event.clientX - paper.left) / this.scale;
    const y = (event.clientY - paper.top) / this.scale;
    const inside = ([x0, y0, x1, y1]) => x >= x0 - PADDING && x <= x1 + PADDING && y >= y0 - PADDING && y <= y1 + PADDING;
    const area = (mark) => Math.min(...mark.boxes.filter(inside).map(([x0, y0, x1, y1]) => (x1 - x0) * (y1 - y0)));
    const found = this.here().filter((mark) => mark.boxes.some(inside)).sort((a, b) => area(a) - area(b));
    if (found.length) this.on.onPick(found[0].claim, found[0].index);
  }

  reveal() {
    const mark = this.find(".mark.chosen");
    const stage = this.find(".stage");
    if (!mark) return;
    const seen = stage.getBoundingClientRect();
    const box = mark.getBoundingClientRect();
    const above = box.top < seen.top + 24;
    const below = box.bottom > seen.bottom - 24;
    if (above || below) stage.scrollTop += box.top - seen.top - stage.clientHeight / 3;
    if (box.left < seen.left || box.right > seen.right) stage.scrollLeft += box.left - seen.left - 24;
  }

  drawBar() {
    const document = this.documents[this.at.document];
    const number = this.find(".number");
    number.value = document ? String(this.at.page) : "";
    number.disabled = !document;
    setText(this.find(".of"), document ? `of ${document.pages}` : "");
    this.find(".prev").disabled = !document || this.at.page <= 1;
    this.find(".next").disabled = !document || this.at.page >= document.pages;
    for (const name of [".out", ".fit", ".in", ".show-thumbs"]) this.find(name).disabled = !document;
    setShown(this.find(".gone"), Boolean(document?.removed));
    setText(this.find(".gone"), document?.removed ? `${document.name} has been removed from the library since. This is what was kept for the record.` : "");
    this.drawThumbs();
  }

  toggleThumbs() {
    const box = this.find(".thumbs");
    box.hidden = !box.hidden;
    this.find(".show-thumbs").setAttribute("aria-expanded", String(!box.hidden));
    this.drawThumbs();
    box.querySelector("[aria-current=true]")?.scrollIntoView({ block: "center" });
  }

  drawThumbs() {
    const box = this.find(".thumbs");
    const document = this.documents[this.at.document];
    if (box.hidden || !document) return;
    const first = Math.max(1, Math.min(this.at.page - THUMBS / 2, document.pages - THUMBS + 1));
    const numbers = Array.from({ length: Math.min(THUMBS, document.pages) }, (_, index) => first + index);
    const cited = new Set(this.marks.filter((mark) => mark.document === this.at.document).map((mark) => mark.page));
    const create = (number) => {
      const address = `${document.address}/${number}.png?scale=${THUMB_SCALE}`;
      const image = make("img", { alt: "", loading: "lazy" });
      const password = this.passwords.get(this.at.document);
      if (password) this.pages.image(address, password).then((source) => (image.src = source), () => {});
      else image.src = address;
      const button = make("button", { type: "button", className: "thumb" }, image, make("span", { textContent: String(number) }));
      button.addEventListener("click", () => this.moveTo(this.at.document, number));
      return make("li", {}, button);
    };
    const opened = this.passwords.has(this.at.document) ? "opened" : "";
    reconcile(box, numbers, (number) => `${document.address}/${number}${opened}`, create, (item, number) => {
      const button = item.firstChild;
      button.setAttribute("aria-label", `Page ${number}${cited.has(number) ? ", cited" : ""}`);
      button.setAttribute("aria-current", String(number === this.at.page));
      button.classList.toggle("cited", cited.has(number));
    });
  }

  // Fetch what is probably looked at next: the cited pages in order, then the neighbours.
  ahead() {
    const { document, page } = this.at;
    const cited = this.marks.map((mark) => [mark.document, mark.page]);
    const beside = [[document, page + 1], [document, page - 1]].filter(([, at]) => at >= 1 && at <= this.documents[document].pages);
    const wanted = [...new Map([...cited, ...beside].map((pair) => [pair.join("/"), pair])).values()].slice(0, 12);
    const next = async () => {
      for (const [id, at] of wanted) {
        if (!this.documents[id]) continue;
        const data = await this.pages.page(this.address(id, at));
        await this.pages.image(this.imageAddress(id, at, data), this.passwords.get(id));
      }
    };
    next().catch(() => {});
  }
}
