
"use strict";

// The page shows the kinds in the data. All texts come from untrusted definitions, so they
// are only ever inserted as text, never as HTML.

(() => {
  const { title, kinds } = JSON.parse(document.getElementById("data").textContent);
  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  const place = document.getElementById("kind");
  const menu = document.getElementById("menu");
  const mostShown = 50; // fields that a filter shows

  // element creates an element with a class and with texts or elements as children.
  function element(name, className, ...content) {
    const out = document.createElement(name);
    if (className) out.className = className;
    out.append(...content);
    return out;
  }

  // ---- The data: a node for each field, in the order of the tree.

  // A node is { field, kind, parent, path, children, lowerName, lowerPath, lowerText }.
  function makeNode(field, kind, parent, nodes) {
    const path = parent ? (parent.path ? parent.path + "." : "") + field.name : "";
    const node = { field, kind, parent, path, children: [] };
    node.lowerName = field.name.toLowerCase();
    node.lowerPath = parent && parent.path ? parent.lowerPath + "." + node.lowerName : path.toLowerCase();
    node.lowerText = field.description ? field.description.toLowerCase() : "";
    if (parent) nodes.push(node);
    if (field.fields) for (const child of field.fields) node.children.push(makeNode(child, kind, node, nodes));
    return node;
  }

  // A family is the versions of a kind: { group, kind, versions }, the preferred one first.
  const families = [];
  for (const kind of kinds) {
    kind.id = `${kind.group}/${kind.version}/${kind.kind}`;
    kind.nodes = [];
    if (kind.field) kind.root = makeNode(kind.field, kind, null, kind.nodes);
    const last = families.at(-1);
    if (last && last.group === kind.group && last.kind === kind.kind) last.versions.push(kind);
    else families.push({ group: kind.group, kind: kind.kind, versions: [kind] });
    kind.family = families.at(-1);
  }

  const linkOf = (kind, node) => "#" + encodeURI(kind.id + (node && node.path ? "." + node.path : "")).replaceAll("#", "%23");

  // ---- Fields.

  let current = null; // the displayed kind, or null for the overview
  let chosen = null; // the kind to return to when the filter is cleared, or null
  let shown = new Map(); // from nodes with a row to their details elements
  let words = []; // the words of the filter

  // marked returns a text with the words of the filter marked.
  function marked(text) {
    const lower = text.toLowerCase();
    const out = [];
    let at = 0;
    while (words.length) {
      let next = -1, length = 0;
      for (const word of words) {
        const i = lower.indexOf(word, at);
        if (i >= 0 && (next < 0 || i < next)) [next, length] = [i, word.length];
      }
      if (next < 0) break;
      out.push(text.slice(at, next), element("mark", "", text.slice(next, next + length)));
      at = next + length;
    }
    out.push(text.slice(at));
    return out;
  }

  // plainText returns the text of spans.
  const plainText = (spans) => spans.map((span) => span.spans ? plainText(span.spans) : span.kind === "br" ? " " : span.text || "").join("");

  // brief returns the first sentence of a description.
  function brief(field) {
    const first = field.prose && field.prose[0];
    const text = first && first.spans ? plainText(first.spans) : (field.description || "").trim().split("\n\n", 1)[0];
    const line = text.slice(0, 400).replace(/\s+/g, " ").trim();
    const end = line.search(/[.!?](\s|$)/);
    return end < 0 ? line : line.slice(0, end + 1);
  }

  // ---- Descriptions, which schemagen has parsed.

  function description(field) {
    if (!field.description) return [];
    const blocks = field.prose || [{ kind: "p", spans: [{ text: field.description.trim().replace(/\s+/g, " ") }] }];
    return [element("div", "text", ...blocks.map(proseBlock))];
  }

  function proseBlock(block) {
    const inner = () => (block.blocks || []).map(proseBlock);
    switch (block.kind) {
      case "code": return element("pre", "", element("code", "", ...marked(block.code || "")));
      case "ul": return element("ul", "", ...inner());
      case "ol": {
        const list = element("ol", "", ...inner());
        list.start = block.start;
        return list;
      }
      case "li": {
        const only = block.blocks && block.blocks.length === 1 && block.blocks[0].kind === "p";
        return element("li", "", ...(only ? block.blocks[0].spans.map(proseSpan).flat() : inner()));
      }
      case "quote": return element("blockquote", "", ...inner());
      case "hr": return element("hr");
      case "h": return element("p", "heading", ...(block.spans || []).map(proseSpan).flat());
      default: return element("p", "", ...(block.spans || []).map(proseSpan).flat());
    }
  }

  // proseSpan returns an array of texts and elements.
  function proseSpan(span) {
    const inner = () => span.spans ? span.spans.map(proseSpan).flat() : marked(span.text || "");
    switch (span.kind) {
      case "code": return [element("code", "", ...marked(span.text || ""))];
      case "em": case "strong": return [element(span.kind, "", ...inner())];
      case "br": return [element("br")];
      case "a": {
        if (!/^(https?|mailto):/i.test(span.url)) return inner();
        const link = element("a", "", ...inner());
        link.href = span.url;
        link.rel = "noopener noreferrer";
        if (link.textContent === span.url) link.className = "bare"; // printed once
        return [link];
      }
      default: return inner();
    }
  }

  // ---- YAML, as schemagen writes it.

  // yaml returns a document with its keys, values and comments marked.
  function yaml(text) {
    const out = [];
    let block = -1; // the indentation of the key whose value is the following lines
    for (const line of text.split("\n")) {
      const indent = line.search(/\S/);
      if (block >= 0 && (indent < 0 || indent > block)) {
        out.push(element("span", "string", line), "\n");
        continue;
      }
      block = -1;
      const [, before, key, rest] = line.match(/^(\s*(?:- +)*)((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#:"'{[-][^:#]*?)(?=:(?:\s|$)))?(.*)$/);
      out.push(before);
      if (key !== undefined) out.push(element("span", "key", key));
      const [, colon, value] = rest.match(/^(:?\s*)(.*)$/);
      out.push(colon);
      if (/^#/.test(value)) out.push(element("span", "comment", value));
      else if (/^[|>][0-9+-]*$/.test(value)) {
        block = before.length;
        out.push(value);
      } else if (/^(-?[0-9][0-9.eE+-]*|true|false|null|~)$/.test(value)) out.push(element("span", "literal", value));
      else if (value && !/^[{}[\]-]+$/.test(value)) out.push(element("span", "string", value));
      else out.push(value);
      out.push("\n");
    }
    return out;
  }

  // copyButton returns a button that copies a text.
  function copyButton(label, text) {
    const button = element("button", "copy", "Copy");
    button.type = "button";
    button.title = button.ariaLabel = label;
    button.addEventListener("click", async () => {
      let copied = true;
      try {
        await navigator.clipboard.writeText(text());
      } catch { // not allowed, or not a secure page
        const area = element("textarea", "hidden", text());
        document.body.append(area);
        area.select();
        copied = document.execCommand("copy");
        area.remove();
        button.focus();
      }
      button.textContent = copied ? "Copied" : "Not copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    return button;
  }

  // row returns a field that can be opened. If only is set, it is limited to those nodes.
  function row(node, only) {
    const field = node.field;
    const details = element("details", field.fields ? "field" : "field leaf");
    const summary = element("summary", "", element("span", "name", ...marked(field.name)), element("span", "type", field.type));
    if (field.required) summary.append(element("span", "tag required", "required"));
    if (field.default && field.default.length < 24) summary.append(element("span", "tag", "= " + field.default));
    if (field.description) summary.append(element("span", "brief", brief(field)));
    const anchor = element("a", "anchor", "#"); // for the mouse; the body has a link for everyone
    anchor.href = linkOf(node.kind, node);
    anchor.tabIndex = -1;
    anchor.ariaHidden = "true";
    summary.append(anchor);
    details.append(summary);
    details.node = node;
    details.only = only;
    details.addEventListener("toggle", () => details.open && fill(details));
    shown.set(node, details);
    return details;
  }

  // fill creates the body of a row when it is first opened.
  function fill(details) {
    if (details.filled) return;
    details.filled = true;
    const body = element("div", "body");
    say(body, details.node);
    addChildren(body, details.node, details.only);
    details.append(body);
  }

  // say adds the facts about a field itself.
  function say(to, node) {
    const field = node.field;
    to.append(...description(field));
    const facts = element("dl", "facts");
    const fact = (name, ...content) => facts.append(element("dt", "", name), element("dd", "", ...content));
    if (field.enum) fact(/^(\[|map\[)/.test(field.type) ? "Each one of" : "One of", ...values(field.enum));
    if (field.default) fact("Default", element("code", "", field.default));
    if (field.example) fact("Example", element("code", "", field.example));
    if (field.limits) fact("Value", ...field.limits.map((limit) => element("div", "", limit)));
    if (field.rules) {
      fact("Rules", ...field.rules.map((rule) => element("div", "rule", rule.says, element("code", "", rule.rule))));
    }
    if (field.position) fact("Defined at", element("code", "", field.position));
    if (node.parent) {
      const link = element("a", "", node.path);
      link.href = linkOf(node.kind, node);
      fact("Link", link, " ", copyButton("Copy the path of the field", () => node.path));
    }
    if (facts.children.length) to.append(facts);
  }

  // values returns the values of an enum: in a line, and those with a comment on lines of their own.
  function values(all) {
    const plain = all.filter((value) => !value.description), described = all.filter((value) => value.description);
    const line = plain.length ? [element("span", "values", ...plain.map((value) => element("code", "", value.value)))] : [];
    return [...described.map((value) => element("div", "value", element("code", "", value.value), ...description(value))), ...line];
  }

  // addChildren adds the child fields; those of unions are choices.
  function addChildren(to, node, only) {
    const all = only ? node.children.filter((child) => only.has(child)) : node.children;
    const unions = only ? [] : node.field.unions || [];
    const members = new Set(unions.flatMap((union) => union.values.map((value) => value.member)));
    const plain = all.filter((child) => !members.has(child.field.name));
    if (plain.length) to.append(element("div", node.parent ? "children" : "fields", ...plain.map((child) => row(child, only))));
    for (const union of unions) to.append(choice(union, node));
  }

  let choices = 0;

  // choice returns a union: a button per value, and the member of the selected value.
  function choice(union, node) {
    const box = element("fieldset", "union", element("legend", "", union.says));
    const buttons = element("div", "choices");
    const member = element("div", "children");
    const name = `choice${choices++}`;
    const childOf = (value) => node.children.find((child) => child.field.name === value.member);
    const choose = (value) => {
      const child = childOf(value);
      member.replaceChildren(child ? row(child) : element("p", "nothing", "No member is set."));
      if (child && value.optional) member.append(element("p", "nothing", "It may be absent."));
    };
    box.members = new Map();
    for (const value of union.values) {
      const input = element("input");
      input.type = "radio";
      input.name = name;
      input.addEventListener("change", () => choose(value));
      buttons.append(element("label", "", input, union.discriminator ? value.value || "(empty)" : value.member));
      box.members.set(value.member, () => {
        input.checked = true;
        choose(value);
      });
    }
    const first = union.values.find(childOf) || union.values[0];
    if (first) box.members.get(first.member)();
    box.append(buttons, member);
    return box;
  }

  // ---- A kind.

  function showKind(kind) {
    current = kind;
    shown = new Map();
    document.title = `${kind.kind} ${kind.version} · ${title}`;
    mark(kind);
    const heading = element("h2", "title", kind.kind, element("span", "of", `${kind.group}/${kind.version}`));
    const scope = element("p", "scope", kind.namespaced ? "Namespaced" : "Cluster-scoped", ", ", element("code", "", [kind.plural, ...(kind.shortNames || [])].join(", ")));
    place.replaceChildren(heading, scope, ...versionsOf(kind));
    if (!kind.field) {
      place.append(element("p", "text", `Its fields are not documented: ${kind.missing}`));
      return;
    }
    say(place, kind.root);
    if (kind.examples) {
      const examples = kind.examples.map((example) => {
        const details = element("details", "", element("summary", "", example.title));
        details.addEventListener("toggle", () => details.children.length < 2 && details.append(element("div", "example", copyButton("Copy the example", () => example.yaml),
          element("pre", "yaml", element("code", "", ...yaml(example.yaml.trimEnd()))))));
        return details;
      });
      place.append(element("div", "examples", ...examples));
    }
    if (kind.root.children.length) place.append(expander());
    addChildren(place, kind.root);
    const spec = kind.root.children.find((child) => child.field.name === "spec");
    if (spec && shown.has(spec)) open(shown.get(spec));
  }

  // mark marks the entry of what is displayed in the menu.
  function mark(kind) {
    for (const link of document.querySelectorAll("#kinds a")) {
      if (link.kind === kind) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // versionsOf returns links to the versions of a kind, which lead to the same field if the
  // other version has it.
  function versionsOf(kind) {
    const all = kind.versions || [], warning = all.find((version) => version.name === kind.version)?.warning;
    const notice = warning ? [element("p", "warning", `Deprecated: ${warning}`)] : [];
    if (Math.max(all.length, kind.family.versions.length) < 2) return notice;
    const list = element("p", "versions", "Versions: ");
    for (const version of kind.family.versions) {
      const link = element("a", "", version.version);
      link.href = linkOf(version);
      if (version === kind) link.setAttribute("aria-current", "true");
      link.addEventListener("click", () => {
        const path = location.hash.startsWith(linkOf(kind) + ".") ? document.querySelector(".target")?.node.path : "";
        link.href = linkOf(version, version.nodes.find((n) => n.path === path));
      });
      list.append(link, ...remarks(all.find(({ name }) => name === version.version)));
    }
    for (const version of all.filter(({ served }) => !served)) list.append(element("span", "unserved", version.name), ...remarks(version));
    return [list, ...notice];
  }

  // remarks returns what becomes of a version, in tags.
  function remarks(version) {
    if (!version) return [];
    const texts = [version.stored && "stored", version.warning && "deprecated", !version.served && "not served"];
    return texts.filter(Boolean).map((text) => element("span", "tag", text));
  }

  // showOverview lists all kinds.
  function showOverview() {
    current = null;
    shown = new Map();
    document.title = title;
    mark(null);
    place.replaceChildren(element("h2", "title", "Overview"));
    let group = null, list = null;
    for (const family of families) {
      if (family.group !== group) {
        group = family.group;
        list = element("ul", "overview");
        place.append(element("h3", "group", group), list);
      }
      const [preferred] = family.versions;
      const name = element("a", "name", family.kind);
      name.href = linkOf(preferred);
      const versions = element("span", "versions", ...family.versions.map((version) => {
        const link = element("a", "", version.version);
        link.href = linkOf(version);
        return link;
      }));
      const item = element("li", "", name, versions, element("span", "scope", preferred.namespaced ? "namespaced" : "cluster-scoped"));
      if (preferred.field) item.append(element("p", "", brief(preferred.field)));
      list.append(item);
    }
    if (!kinds.length) place.append(element("p", "text", "There are no kinds."));
  }

  // open opens a row immediately; its event fires later.
  function open(details) {
    fill(details);
    details.open = true;
  }

  // expander returns the button that opens or closes all fields of the displayed kind. Rows
  // are opened for a part of each frame, so the page does not freeze.
  function expander() {
    const button = element("button", "expander", "Expand all");
    button.type = "button";
    let run = 0;
    button.addEventListener("click", () => {
      const own = ++run;
      if (button.textContent !== "Expand all") {
        for (const row of place.querySelectorAll("details[open]")) row.open = false;
        button.textContent = "Expand all";
        return;
      }
      button.textContent = "Collapse all";
      const queue = [...place.querySelectorAll("details.field")];
      let next = 0;
      const step = () => {
        const until = performance.now() + 12;
        while (next < queue.length && performance.now() < until) {
          const row = queue[next++], filled = row.filled;
          open(row);
          if (!filled) queue.push(...row.querySelectorAll("details.field"));
        }
        if (next < queue.length && own === run && button.isConnected) requestAnimationFrame(step);
      };
      step();
    });
    return element("p", "tools", button);
  }

  // reveal opens a field and its ancestors.
  function reveal(node) {
    const way = [];
    for (let n = node; n.parent; n = n.parent) way.unshift(n);
    for (const n of way) {
      if (!shown.has(n) || !shown.get(n).isConnected) {
        const around = n.parent.parent ? shown.get(n.parent) : place;
        for (const box of around.querySelectorAll(".union")) box.members.get(n.field.name)?.();
      }
      if (!shown.has(n)) return;
      open(shown.get(n));
    }
    const details = shown.get(node);
    for (const other of document.querySelectorAll(".target")) other.classList.remove("target");
    details.classList.add("target");
    details.firstChild.focus({ preventScroll: true });
    details.scrollIntoView({ block: "start" });
  }

  // follow shows the field in the URL: #group/version/Kind.path.
  function follow() {
    let says = location.hash.slice(1);
    try {
      says = decodeURIComponent(says);
    } catch {
      // The fragment is not ours.
    }
    const kind = kinds.find((k) => says === k.id || says.startsWith(k.id + ".")) || (families.length === 1 ? kinds[0] : null);
    if (words.length) {
      filter.value = "";
      narrow();
    }
    chosen = kind;
    if (narrowScreen.matches) menu.open = false;
    if (!kind) {
      showOverview();
      window.scrollTo(0, 0);
      return;
    }
    if (kind !== current) showKind(kind);
    const path = says.slice(kind.id.length + 1);
    const node = path && kind.nodes.find((n) => n.path === path);
    if (node) reveal(node);
    else window.scrollTo(0, 0);
  }

  // ---- The filter.

  // rank says how well a field fits: 3 by its name, 2 by its path, 1 by what is
  // said of it, 0 not at all.
  function rank(node) {
    let best = 3;
    for (const word of words) {
      if (node.lowerPath.includes(word)) continue;
      if (!node.lowerText.includes(word)) return 0;
      best = 1;
    }
    return best === 1 ? 1 : node.lowerName.includes(words[words.length - 1]) ? 3 : 2;
  }

  // narrow shows the fields that fit the filter, of the kind that the user has chosen if it
  // has any, else of the kind with the best ones. Kinds without any are hidden.
  function narrow() {
    words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let best = null;
    for (const kind of kinds) {
      kind.ranked = [[], [], [], []];
      if (words.length) for (const node of kind.nodes) kind.ranked[rank(node)].push(node);
      const count = kind.ranked[1].length + kind.ranked[2].length + kind.ranked[3].length;
      kind.count.textContent = words.length ? count.toLocaleString("en") : "";
      kind.hidden = words.length > 0 && count === 0;
      kind.link.hidden = kind.hidden;
      const top = kind.ranked.findLastIndex((list, i) => i > 0 && list.length > 0);
      if (top > 0 && (!best || top > best.top)) best = { kind, top };
    }
    for (const heading of document.querySelectorAll("#kinds h2, #kinds li")) heading.hidden = words.length > 0 && heading.kinds.every((kind) => kind.hidden);
    if (!words.length) {
      found.textContent = "";
      if (chosen) showKind(chosen);
      else showOverview();
      return;
    }
    if (!best) {
      place.replaceChildren();
      found.textContent = "No field fits.";
      return;
    }
    current = chosen && !chosen.hidden ? chosen : best.kind;
    mark(current);
    const ranked = current.ranked;
    const fitting = [...ranked[3], ...ranked[2], ...ranked[1]];
    const most = fitting.slice(0, mostShown);
    const only = new Set();
    for (const node of most) for (let n = node; n; n = n.parent) only.add(n);
    shown = new Map();
    const tree = element("div", "fields filtered");
    const fits = new Set(most);
    const add = (to, node) => {
      for (const child of node.children) {
        if (!only.has(child)) continue;
        const inner = child.children.some((c) => only.has(c)) && only;
        const details = row(child, fits.has(child) && !inner ? null : only);
        to.append(details);
        if (!inner) continue;
        // The ancestors of a field are open, without their facts.
        details.filled = details.open = true;
        details.classList.add("way");
        const below = element("div", "children");
        details.append(element("div", "body", below));
        add(below, child);
      }
    };
    add(tree, current.root);
    const heading = element("h2", "title", current.kind, element("span", "of", `${current.group}/${current.version}`));
    place.replaceChildren(heading, tree);
    const of = fitting.length > most.length ? `${most.length} of ${fitting.length.toLocaleString("en")} fields` : fitting.length === 1 ? "1 field" : `${fitting.length} fields`;
    found.textContent = `${of} of ${current.kind} ${current.version}${fitting.length > most.length ? "; the best are shown" : ""}`;
  }

  // ---- The menu.

  const narrowScreen = window.matchMedia("(max-width: 48rem)");

  function fillMenu() {
    const menuKinds = document.getElementById("kinds");
    if (families.length > 1) {
      const link = element("a", "", element("span", "name", "Overview"));
      link.href = "#";
      link.kind = null;
      menuKinds.append(link);
    }
    let heading = null, list = null;
    for (const family of families) {
      if (!heading || family.group !== heading.textContent) {
        heading = element("h2", "", family.group);
        heading.kinds = [];
        list = element("ul");
        menuKinds.append(heading, list);
      }
      heading.kinds.push(...family.versions);
      const item = element("li");
      item.kinds = family.versions;
      const several = family.versions.length > 1;
      if (several) item.append(element("span", "name", family.kind));
      for (const kind of family.versions) {
        kind.count = element("span", "count");
        kind.link = element("a", "", ...(several ? [] : [element("span", "name", kind.kind)]), element("span", "version", kind.version), kind.count);
        if (several) kind.link.ariaLabel = `${kind.kind} ${kind.version}`;
        kind.link.href = linkOf(kind);
        kind.link.kind = kind;
        kind.link.addEventListener("click", (event) => {
          if (!words.length || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault(); // keep the filter
          chosen = kind;
          narrow();
        });
        item.append(kind.link);
      }
      if (several) item.className = "several";
      list.append(item);
    }
    const fit = () => { menu.open = !narrowScreen.matches; };
    narrowScreen.addEventListener("change", fit);
    fit();
  }

  // ---- Keys: / for the filter, arrows in the tree.

  function visibleRows() {
    return [...place.querySelectorAll("summary")].filter((summary) => summary.checkVisibility());
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const focused = document.activeElement;
    if (event.key === "/" && focused !== filter) {
      event.preventDefault();
      filter.focus();
      filter.select();
      return;
    }
    if (focused === filter) {
      if (event.key === "Escape") {
        filter.value = "";
        narrow();
      } else if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        visibleRows()[0]?.focus();
      }
      return;
    }
    const details = focused?.parentElement;
    if (focused?.tagName !== "SUMMARY" || !place.contains(focused)) return;
    let to = null;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp": {
        const rows = visibleRows();
        to = rows[rows.indexOf(focused) + (event.key === "ArrowDown" ? 1 : -1)] || (event.key === "ArrowUp" ? filter : null);
        break;
      }
      case "ArrowRight":
        if (details.open) to = details.querySelector(":scope > .body summary");
        else open(details);
        break;
      case "ArrowLeft":
        if (details.open) details.open = false;
        else to = details.parentElement.closest("details.field")?.firstChild;
        break;
      case "Home":
        to = visibleRows()[0];
        break;
      case "End":
        to = visibleRows().at(-1);
        break;
      default:
        return;
    }
    event.preventDefault();
    to?.focus();
  }

  // ---- Begin.

  fillMenu();
  filter.addEventListener("input", narrow);
  document.addEventListener("keydown", onKey);
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the URL fragment identifies a field
    document.getElementById("content").focus();
  });
  window.addEventListener("hashchange", follow);
  follow();
})();
