"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  // What stands between backquotes is code.
  const coded = (line) => line.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
  const findings = new Map(data.findings.map((finding) => [finding.id, finding]));

  // A float drawn as sign, exponent and significand.
  const bits = (number) => {
    if (!number.width) return null;
    const digits = BigInt(number.bits).toString(2).padStart(number.width, "0");
    const split = 1 + number.exponent;
    const told = `sign ${digits.slice(0, 1)}, exponent ${digits.slice(1, split)}, significand ${digits.slice(split)}`;
    return make("span", { class: "bits", role: "img", "aria-label": told },
      make("span", { class: "s" }, digits.slice(0, 1)), " ",
      make("span", { class: "e" }, digits.slice(1, split)), " ",
      make("span", { class: "f" }, digits.slice(split)));
  };

  const numbers = (label, list) => list.map((number, index) => make("tr", {},
    make("td", {}, index ? "" : label),
    make("td", {}, make("code", {}, number.name)),
    make("td", { class: "numbers" }, number.value),
    make("td", { class: "numbers faint" }, number.hex || ""),
    make("td", {}, bits(number) || "")));

  // A finding whole; one that tells a story begins with where that did, and can be linked to.
  const article = (finding, story) => {
    const root = story && story.root;
    const table = make("table", { "aria-label": "Numbers" }, ...numbers("input", finding.inputs), ...numbers("operand", finding.operands),
      ...numbers("computed", finding.computed), ...numbers("returned", finding.outputs));
    const source = make("pre", {});
    for (const line of finding.source) {
      const row = make("span", line.here ? { class: "here" } : {});
      row.append(String(line.number).padStart(5) + "  ");
      if (line.here && line.column > 0) {
        row.append(line.text.slice(0, line.column - 1), make("mark", {}, line.text.slice(line.column - 1, line.column) || " "),
          line.text.slice(line.column));
      } else row.append(line.text);
      source.append(row, "\n");
    }
    const run = finding.run.length < 2 ? null : make("div", {}, "The run: ",
      make("ol", {}, ...finding.run.map((raised) => make("li", {}, `${raised.kind} at line ${raised.line} (${raised.operation})`))));
    const flow = !finding.flow.length ? null : make("details", {}, make("summary", {}, "What becomes of NaN and infinity"),
      make("pre", {}, finding.flow.join("\n")));
    const also = !finding.also.length ? null : make("div", {}, "Other builds: ",
      make("ul", {}, ...finding.also.map((line) => make("li", {}, line))));
    let test = null;
    if (finding.test) {
      const copy = make("button", { class: "copy", type: "button", "aria-label": "Copy the test" }, "copy");
      const text = make("pre", {}, finding.test);
      const said = make("span", { class: "faint", role: "status" });
      copy.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(finding.test);
          said.textContent = " copied";
        } catch {
          getSelection().selectAllChildren(text);
          said.textContent = " selected: copy it with the keyboard";
        }
      });
      test = make("details", {}, make("summary", {}, "A test that fails as long as it happens"), copy, said, text);
    }
    return make("article", { class: finding.severity, ...(story ? { id: story.id, tabindex: "-1" } : {}) },
      make("h3", {}, make("span", { class: "tag" }, `${finding.severity}[${(root || finding).kind}]`), " " + (root || finding).headline),
      root ? make("div", {}, `${finding.function}, ${root.place}; then ${finding.kind}: ${finding.headline}`) : null,
      make("div", {}, `${finding.function}, ${finding.place}: ${finding.operation}`),
      finding.source.length ? source : null, table, make("p", {}, finding.effect),
      finding.build ? make("p", {}, finding.build) : null,
      finding.harm ? make("p", {}, finding.harm) : null,
      finding.advice.length ? make("ul", { class: "advice" }, ...finding.advice.map((line) => make("li", {}, ...coded(line)))) : null, run, flow, also, test);
  };

  // The stories, a few at a time.
  const told = byId("told");
  let next = 0;
  const more = byId("more-stories");
  const tell = (count) => {
    for (; next < data.stories.length && count > 0; next += 1, count -= 1) {
      const story = data.stories[next];
      const card = article(findings.get(story.id), story);
      const others = story.findings.filter((id) => id !== story.id);
      if (others.length) {
        const rest = make("details", {}, make("summary", {}, `${others.length} more with the same root`));
        rest.addEventListener("toggle", () => {
          if (rest.open && rest.children.length === 1) rest.append(...others.map((id) => article(findings.get(id))));
        });
        card.append(rest);
      }
      told.append(card);
    }
    more.hidden = next >= data.stories.length;
    more.textContent = `Show more (${data.stories.length - next} left)`;
  };
  more.addEventListener("click", () => {
    const first = next;
    tell(50);
    told.children[first].focus();
  });
  tell(25);
  // A link to a story that is not told yet.
  const linked = data.stories.findIndex((story) => "#" + story.id === location.hash);
  if (linked >= 0) {
    tell(linked + 1 - next);
    told.children[linked].scrollIntoView();
  }

  // The table: filtered, sorted, drawn as far as it is looked at.
  const rows = data.findings.map((finding, index) => ({
    finding, index,
    text: `${finding.kind} ${finding.severity} ${finding.function} ${finding.place} ${finding.headline}`.toLowerCase(),
  }));
  const order = { error: 0, warning: 1, note: 2 };
  const keys = {
    severity: (finding) => order[finding.severity], kind: (finding) => finding.kind,
    function: (finding) => finding.function, place: (finding) => [finding.file, finding.line],
    harm: (finding) => finding.rank,
  };
  let sorted = null, descending = false, shown = [], drawn = 0;
  const body = byId("rows");
  const compare = (a, b) => Array.isArray(a) ? compare(a[0], b[0]) || compare(a[1], b[1]) : a < b ? -1 : a > b ? 1 : 0;
  const draw = (count) => {
    const part = document.createDocumentFragment();
    for (; drawn < shown.length && count > 0; drawn += 1, count -= 1) {
      const { finding } = shown[drawn];
      const button = make("button", { type: "button", "aria-expanded": "false" }, finding.headline);
      const row = make("tr", {},
        make("td", {}, make("span", { class: "tag " + finding.severity }, finding.severity)), make("td", {}, finding.kind),
        make("td", {}, make("code", {}, finding.function)), make("td", {}, finding.place), make("td", {}, button),
        make("td", {}, finding.effect_word));
      row.addEventListener("click", () => {
        const closes = button.getAttribute("aria-expanded") === "true";
        if (closes) row.nextSibling.remove();
        else row.after(make("tr", { class: "opened" }, make("td", { colspan: "6" }, article(finding))));
        button.setAttribute("aria-expanded", String(!closes));
      });
      part.append(row);
    }
    body.append(part);
    byId("more-rows").hidden = drawn >= shown.length;
  };
  const apply = () => {
    const wanted = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = byId("kind").value, severity = byId("severity").value;
    shown = rows.filter(({ finding, text }) => (!kind || finding.kind === kind) && (!severity || finding.severity === severity)
      && wanted.every((word) => text.includes(word)));
    if (sorted) {
      const key = keys[sorted];
      shown.sort((a, b) => (descending ? -1 : 1) * compare(key(a.finding), key(b.finding)) || a.index - b.index);
    }
    body.replaceChildren();
    drawn = 0;
    draw(100);
    byId("count").textContent = `${shown.length} of ${rows.length} findings`;
  };
  for (const id of ["words", "kind", "severity"]) byId(id).addEventListener("input", apply);
  const buttons = () => [...body.querySelectorAll("button[aria-expanded]")];
  byId("more-rows").addEventListener("click", () => {
    const first = drawn;
    draw(500);
    buttons()[first].focus();
  });
  // Up and down go from row to row.
  body.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const all = step ? buttons() : [];
    const to = all[all.indexOf(event.target) + step];
    if (all.includes(event.target) && to) {
      event.preventDefault();
      to.focus();
    }
  });
  for (const head of document.querySelectorAll("th[data-key]")) {
    head.firstElementChild.addEventListener("click", () => {
      descending = sorted === head.dataset.key && !descending;
      sorted = head.dataset.key;
      for (const other of document.querySelectorAll("th[data-key]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      apply();
    });
  }
  for (const kind of [...new Set(data.findings.map((finding) => finding.kind))].sort()) byId("kind").append(make("option", { value: kind }, kind));
  apply();
})();
