// Ties claims and page together. Selection is local and instant; Python hears of it once it has settled.

// Milliseconds. A running answer is looked at again once the last look was answered, never on a clock of its own:
// looks that come faster than a busy server answers them would each interrupt the one before.
const LOOK = 400;
const PATIENCE = 4000; // for an answer to a look; then again, twice as patiently

class AnswerView {
  constructor(root) {
    this.root = root;
    this.pristine = root.querySelector(".g").cloneNode(true);
    this.list = new ClaimList(root, {
      onSelect: (id, index) => this.select(id, index),
      onStop: () => this.send.setTriggerValue("stop", true),
      onCopy: (claim, button) => this.copy(claim, button),
    });
    this.viewer = new Viewer(root, {
      onPick: (id, index) => this.select(id, index),
      onMove: (document, page) => this.move(document, page),
      onBack: () => this.close(),
      onStep: (step) => this.step(step),
    });
    this.report = debounce(250, (place) => this.tell(place));
    this.frame = root.querySelector(".g");
    this.frame.addEventListener("keydown", (event) => this.keydown(event));
    this.stops = [];
    this.chosen = null;
  }

  update(component) {
    this.send = component;
    const data = component.data;
    const fresh = this.data?.key !== data.key;
    this.data = data;
    clearTimeout(this.watch);
    if (data.state === "running") this.lookIn(LOOK);
    this.frame.dataset.layout = data.layout;
    this.frame.dataset.state = data.state;
    this.list.update(data);
    this.stops = this.citations(data);
    const cited = [...new Set(this.stops.map((stop) => stop.citation.document))];
    if (fresh) this.viewer.tabs = [];
    this.viewer.update(data.documents, [...cited, ...(data.open ? [data.open.document] : [])], data.idle);
    this.viewer.setMarks(this.stops.map((stop) => this.mark(stop)));
    this.drawWhich();
    if (fresh) this.begin(data);
    else if (this.follow(data.focus)) return;
    else if (this.stops.length && !this.chosen && !this.moved) this.select(this.stops[0].id, 0, false);
  }

  lookIn(wait) {
    this.watch = setTimeout(() => {
      this.send.setTriggerValue("look", true);
      this.lookIn(Math.max(PATIENCE, 2 * wait));
    }, wait);
  }

  // A link or the Back button may name another claim than the one chosen here; our own reports coming back may not.
  follow(focus) {
    const name = JSON.stringify(focus);
    if (name === this.focus) return false;
    this.focus = name;
    const echo = focus ? this.reported.indexOf(focus.claim) : -1;
    if (echo >= 0) this.reported.splice(0, echo + 1);
    if (!focus || echo >= 0 || !this.stops.some((stop) => stop.id === focus.claim)) return false;
    this.select(focus.claim, focus.citation || 0, false);
    return true;
  }

  begin(data) {
    this.chosen = null;
    this.moved = false;
    this.reported = [];
    this.focus = JSON.stringify(data.focus);
    this.list.select(null, 0);
    const wanted = data.focus;
    if (wanted && this.stops.some((stop) => stop.id === wanted.claim)) this.select(wanted.claim, wanted.citation || 0, Boolean(wanted.sheet));
    else if (data.open) this.viewer.open(data.open.document, data.open.page);
    else if (this.stops.length) this.select(this.stops[0].id, 0, false);
    else this.viewer.drawBar();
  }

  citations(data) {
    const nearest = data.abstention ? data.abstention.nearest.map((passage) => ({ id: passage.id, status: "nearest", text: "Nearest passage", citations: [passage] })) : [];
    const disagree = data.conflicts.map((conflict) => ({ id: conflict.id, status: "contradicted", text: conflict.detail, citations: conflict.citations }));
    return [...data.claims, ...disagree, ...nearest].flatMap((owner) => owner.citations.map((citation, index) => ({ id: owner.id, index, citation, owner })));
  }

  mark({ id, index, citation, owner }) {
    return { key: `${id}/${index}`, claim: id, index, document: citation.document, page: citation.page, boxes: citation.boxes, status: owner.status, label: `${owner.word || "Passage"}: ${owner.text}` };
  }

  select(id, index = 0, asked = true) {
    const stop = this.stops.find((item) => item.id === id && item.index === index) || this.stops.find((item) => item.id === id);
    this.chosen = stop ? `${stop.id}/${stop.index}` : null;
    this.list.select(id, stop ? stop.index : 0, asked);
    for (const node of this.root.querySelectorAll(".passage, .conflict")) node.classList.toggle("chosen", node.closest("[data-key]")?.dataset.key === id);
    this.drawWhich();
    if (!stop) return this.report({ claim: id });
    this.viewer.open(stop.citation.document, stop.citation.page, this.chosen);
    if (asked) {
      this.frame.classList.add("open");
      this.report({ claim: id, citation: stop.index, document: stop.citation.document, page: stop.citation.page });
      this.say(`Citation ${this.stops.indexOf(stop) + 1} of ${this.stops.length}, ${stop.citation.where}`);
    }
  }

  move(document, page) {
    this.moved = true;
    this.report({ document, page });
  }

  step(by) {
    if (!this.stops.length) return;
    const now = this.stops.findIndex((stop) => `${stop.id}/${stop.index}` === this.chosen);
    const next = this.stops[(now + by + this.stops.length) % this.stops.length];
    this.select(next.id, next.index);
  }

  drawWhich() {
    const now = this.stops.findIndex((stop) => `${stop.id}/${stop.index}` === this.chosen);
    setShown(this.root.querySelector(".cites"), this.stops.length > 0);
    setText(this.root.querySelector(".which"), now < 0 ? (this.stops.length === 1 ? "1 citation" : `${this.stops.length} citations`) : `citation ${now + 1} of ${this.stops.length}`);
  }

  close() {
    this.frame.classList.remove("open");
    (this.root.querySelector(".claim.chosen .pick") || this.root.querySelector(".pick"))?.focus();
  }

  keydown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
    const stage = event.target.closest(".viewer");
    const actions = {
      n: () => this.step(1),
      p: () => this.step(-1),
      "+": () => this.viewer.zoomBy(1),
      "=": () => this.viewer.zoomBy(1),
      "-": () => this.viewer.zoomBy(-1),
      0: () => this.viewer.zoomTo("fit"),
      t: () => this.viewer.toggleThumbs(),
      g: () => this.root.querySelector(".number").focus(),
      Escape: () => this.close(),
      PageDown: stage && (() => this.viewer.turnTo(this.viewer.at.page + 1)),
      PageUp: stage && (() => this.viewer.turnTo(this.viewer.at.page - 1)),
      ArrowRight: stage && (() => this.viewer.turnTo(this.viewer.at.page + 1)),
      ArrowLeft: stage && (() => this.viewer.turnTo(this.viewer.at.page - 1)),
      Home: stage && (() => this.viewer.turnTo(1)),
      End: stage && (() => this.viewer.turnTo(Infinity)),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  async copy(claim, button) {
    const cited = claim.citations.map((citation) => `“${citation.snippet}” (${citation.where})`).join("; ");
    const link = new URL(window.location.href);
    link.searchParams.set("claim", claim.id);
    const text = [`${claim.text} [${claim.word}]`, cited, link.href].filter(Boolean).join("\n");
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied");
      button.lastChild.textContent = "Copied";
    } catch {
      this.say("The browser did not allow copying");
      button.lastChild.textContent = "Copying was not allowed";
    }
  }

  say(text) {
    setText(this.root.querySelector(".said"), text);
  }

  tell(place) {
    if (place.claim) this.reported.push(place.claim);
    this.told = (this.told || 0) + 1; // the same place twice is news too: a link may have led elsewhere in between
    this.send.setStateValue("place", { key: this.data.key, told: this.told, ...place });
  }

  destroy() {
    clearTimeout(this.watch);
    this.viewer.destroy();
    this.frame.replaceWith(this.pristine); // Streamlit may mount another view into the same root
  }
}

const views = new WeakMap();

export default function (component) {
  const root = component.parentElement;
  if (!views.has(root)) views.set(root, new AnswerView(root));
  const view = views.get(root);
  const turn = (view.turn = Symbol("turn"));
  view.update(component);
  return () => {
    // Streamlit may clean up an overtaken call while the component stays: only the newest call ends the view.
    if (view.turn !== turn) return;
    view.destroy();
    views.delete(root);
  };
}
