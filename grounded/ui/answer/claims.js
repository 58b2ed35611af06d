// The left side: what was asked, what is being done, the claims with their verdicts.

function badge(status, word) {
  return make("span", { className: `badge ${status}` }, icon(status), word);
}

function chip(citation, onPick) {
  const text = citation.short + (citation.match === "folded" ? " · spelling folded" : "");
  const button = make("button", { type: "button", className: "chip", textContent: text });
  button.title = `${citation.where}\n${citation.snippet}`;
  button.addEventListener("click", onPick);
  return button;
}

function checkLine(check) {
  const outcome = check.passed === null ? "not decided" : check.passed ? "passed" : "failed";
  return make(
    "li",
    { className: `check ${outcome.replace(" ", "-")}` },
    icon(check.passed === null ? "unverified" : check.passed ? "grounded" : "contradicted"),
    make("b", { textContent: `${check.name} ${outcome}` }),
    make("span", { textContent: check.detail }),
  );
}

class ClaimList {
  constructor(root, { onSelect, onStop, onCopy }) {
    this.find = (selector) => root.querySelector(selector);
    this.list = this.find(".claims");
    this.on = { onSelect, onCopy };
    this.find(".stop").addEventListener("click", onStop);
    this.list.addEventListener("keydown", (event) => this.keydown(event));
  }

  update(data) {
    setShown(this.find(".head"), Boolean(data.question));
    setText(this.find(".question"), data.question || "");
    this.summary(data.summary || []);
    this.work(data.step, data.state);
    setShown(this.find(".notes"), data.notes.length > 0);
    reconcile(this.find(".notes"), data.notes, (note) => note, (note) => make("li", { textContent: note }), () => {});
    this.abstention(data.abstention);
    reconcile(this.list, data.claims, (claim) => claim.id, (claim) => this.card(claim), (card, claim) => this.fill(card, claim));
    this.conflicts(data.conflicts);
  }

  summary(parts) {
    const same = (node, part) => setText(node, part);
    reconcile(this.find(".summary"), parts, (part) => part, () => make("span"), same);
  }

  work(step, state) {
    setShown(this.find(".work"), state === "running");
    if (state !== "running") return;
    setText(this.find(".step"), step ? step.text : "Starting");
    const share = this.find(".share");
    setShown(share, Boolean(step) && step.share !== null);
    if (step && step.share !== null) share.value = step.share;
  }

  card() {
    const pick = make("button", { type: "button", className: "pick" });
    const more = make("button", { type: "button", className: "more" }, icon("more"));
    const card = make(
      "li",
      { className: "claim" },
      pick,
      make("div", { className: "line" }, make("div", { className: "chips" }), more),
      make("p", { className: "reason" }),
      make("div", { className: "detail", hidden: true }),
    );
    pick.addEventListener("click", () => this.on.onSelect(card.dataset.key, 0));
    more.addEventListener("click", () => this.toggle(card));
    return card;
  }

  fill(card, claim) {
    const mark = JSON.stringify(claim);
    if (card.mark === mark) return;
    card.mark = mark;
    card.dataset.status = claim.status;
    card.querySelector(".pick").replaceChildren(
      make("span", { className: "words", textContent: claim.text }),
      make("span", { className: "judged" }, badge(claim.status, claim.word), make("span", { className: "confidence", textContent: claim.confidence, title: claim.basis })),
    );
    card.querySelector(".chips").replaceChildren(
      ...claim.citations.map((citation, index) => chip(citation, () => this.on.onSelect(claim.id, index))),
      ...(claim.citations.length || claim.status === "checking" ? [] : [make("span", { className: "none", textContent: "no citation" })]),
    );
    const reason = card.querySelector(".reason");
    setText(reason, claim.reason);
    setShown(reason, claim.status !== "grounded" && Boolean(claim.reason) && claim.reason !== "no citation");
    const more = card.querySelector(".more");
    more.setAttribute("aria-label", `Checks and source text of claim ${claim.number}`);
    more.setAttribute("aria-expanded", String(!card.querySelector(".detail").hidden));
    this.detail(card.querySelector(".detail"), claim);
  }

  detail(box, claim) {
    const copy = make("button", { type: "button", className: "copy" }, icon("copy"), "Copy with citation");
    copy.addEventListener("click", () => this.on.onCopy(claim, copy));
    box.replaceChildren(
      make("p", { className: "basis", textContent: claim.basis }),
      claim.reason ? make("p", { className: "why", textContent: claim.reason }) : "",
      claim.formula ? make("p", { className: "formula", textContent: claim.formula }) : "",
      ...claim.citations.map((citation) => make("blockquote", {}, make("span", { textContent: citation.snippet }), make("cite", { textContent: citation.where }))),
      make("ul", { className: "checks" }, ...claim.checks.map(checkLine)),
      copy,
    );
  }

  toggle(card) {
    const detail = card.querySelector(".detail");
    detail.hidden = !detail.hidden;
    card.querySelector(".more").setAttribute("aria-expanded", String(!detail.hidden));
  }

  abstention(abstention) {
    const box = this.find(".abstention");
    setShown(box, Boolean(abstention));
    const mark = JSON.stringify(abstention);
    if (!abstention || box.mark === mark) return;
    box.mark = mark;
    const row = (passage, index) => {
      const button = make("button", { type: "button", className: "passage" }, make("span", { textContent: passage.snippet }), make("span", { className: "where", textContent: passage.where }));
      button.addEventListener("click", () => this.on.onSelect(passage.id, 0));
      return make("li", { dataset: { key: passage.id } }, button);
    };
    box.replaceChildren(
      make("p", { className: "why", textContent: abstention.reason }),
      make("p", { className: "searched", textContent: abstention.searched }),
      ...abstention.unread.map((line) => make("p", { className: "unread", textContent: line })),
      abstention.nearest.length ? make("h3", { textContent: "Nearest passages — not an answer" }) : "",
      make("ol", { className: "nearest" }, ...abstention.nearest.map(row)),
    );
  }

  conflicts(conflicts) {
    const box = this.find(".conflicts");
    setShown(box, conflicts.length > 0);
    const mark = JSON.stringify(conflicts);
    if (box.mark === mark) return;
    box.mark = mark;
    const side = (conflict) => (citation, index) => {
      const button = make("button", { type: "button", className: "side" }, make("span", { textContent: citation.snippet }), make("span", { className: "where", textContent: citation.where }));
      button.addEventListener("click", () => this.on.onSelect(conflict.id, index));
      return button;
    };
    box.replaceChildren(
      make("h3", { textContent: conflicts.length === 1 ? "Sources disagree" : `Sources disagree on ${conflicts.length} points` }),
      ...conflicts.map((conflict) => make("div", { className: "conflict", dataset: { key: conflict.id } }, make("p", { textContent: conflict.detail }), make("div", { className: "sides" }, ...conflict.citations.map(side(conflict))))),
    );
  }

  select(id, index, scroll = false) {
    for (const card of this.list.children) {
      const chosen = card.dataset.key === id;
      card.classList.toggle("chosen", chosen);
      card.querySelector(".pick").setAttribute("aria-pressed", String(chosen));
      [...card.querySelectorAll(".chip")].forEach((node, at) => node.setAttribute("aria-pressed", String(chosen && at === index)));
      if (chosen && scroll) card.scrollIntoView({ block: "nearest" });
    }
  }

  keydown(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.classList.contains("pick")) return;
    const picks = [...this.list.querySelectorAll(".pick")];
    const next = picks[picks.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  }
}
