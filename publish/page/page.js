
"use strict";

// The page shows the kinds in the data. All texts come from untrusted definitions, so they
// are only ever inserted as text, never as HTML.

(() => {
  const { kinds } = JSON.parse(document.getElementById("data").textContent);
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

  // A node is { field, kind, parent, path, children, text, lowerName, lowerPath }.
  function makeNode(field, kind, parent, nodes) {
    const path = parent ? (parent.path ? parent.path + "." : "") + field.name : "";
    const node = { field, kind, parent, path, children: [] };
    node.lowerName = field.name.toLowerCase();
    node.lowerPath = path.toLowerCase();
    node.text = node.lowerPath + "\n" + (field.description || "").toLowerCase();
    if (parent) nodes.push(node);
    for (const child of field.fields || []) node.children.push(makeNode(child, kind, node, nodes));
    return node;
  }

  for (const kind of kinds) {
    kind.id = `${kind.group}/${kind.version}/${kind.kind}`;
    kind.nodes = [];
    if (kind.field) kind.root = makeNode(kind.field, kind, null, kind.nodes);
  }

  const linkOf = (kind, node) => "#" + encodeURI(kind.id + (node && node.path ? "." + node.path : "")).replaceAll("#", "%23");

  // ---- Fields.

  let current = null; // the displayed kind
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

  // brief returns the first sentence of a text, without line breaks.
  function brief(text) {
    const line = text.trim().split("\n\n", 1)[0].replaceAll("\n", " ");
    const end = line.search(/[.!?](\s|$)/);
    return end < 0 ? line : line.slice(0, end + 1);
  }

  // row returns a field that can be opened. If only is set, it is limited to those nodes.
  function row(node, only) {
    const field = node.field;
    const details = element("details", field.fields ? "field" : "field leaf");
    const summary = element("summary", "", element("span", "name", ...marked(field.name)), element("span", "type", field.type));
    if (field.required) summary.append(element("span", "tag required", "required"));
    if (field.default && field.default.length < 24) summary.append(element("span", "tag", "= " + field.default));
    if (field.description) summary.append(element("span", "brief", brief(field.description)));
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
    if (field.description) to.append(element("p", "text", ...marked(field.description.trim())));
    const facts = element("dl", "facts");
    const fact = (name, ...content) => facts.append(element("dt", "", name), element("dd", "", ...content));
    if (field.enum) fact("One of", element("span", "values", ...field.enum.map((value) => element("code", "", value))));
    if (field.default) fact("Default", element("code", "", field.default));
    if (field.limits) fact("Value", ...field.limits.map((limit) => element("div", "", limit)));
    if (field.rules) {
      fact("Rules", ...field.rules.map((rule) => element("div", "rule", rule.says, element("code", "", rule.rule))));
    }
    if (field.position) fact("Defined at", element("code", "", field.position));
    if (node.parent) {
      const link = element("a", "", node.path);
      link.href = linkOf(node.kind, node);
      fact("Link", link);
    }
    if (facts.children.length) to.append(facts);
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
    document.title = `${kind.kind} ${kind.version}`;
    for (const link of document.querySelectorAll("#kinds a")) {
      if (link.kind === kind) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const title = element("h2", "title", kind.kind, element("span", "of", `${kind.group}/${kind.version}`));
    const scope = element("p", "scope", kind.namespaced ? "Namespaced" : "Cluster-scoped", ", ", element("code", "", [kind.plural, ...(kind.shortNames || [])].join(", ")));
    place.replaceChildren(title, scope);
    if (!kind.field) {
      place.append(element("p", "text", `Its fields are not documented: ${kind.missing}`));
      return;
    }
    say(place, kind.root);
    if (kind.examples) {
      const examples = kind.examples.map((example) => {
        const details = element("details", "", element("summary", "", example.title));
        details.addEventListener("toggle", () => details.children.length < 2 && details.append(element("pre", "", element("code", "", example.yaml))));
        return details;
      });
      place.append(element("div", "examples", ...examples));
    }
    addChildren(place, kind.root);
    const spec = kind.root.children.find((child) => child.field.name === "spec");
    if (spec && shown.has(spec)) open(shown.get(spec));
  }

  // open opens a row immediately; its event fires later.
  function open(details) {
    fill(details);
    details.open = true;
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
    const kind = kinds.find((k) => says === k.id || says.startsWith(k.id + ".")) || (current ? null : kinds[0]);
    if (!kind) return;
    if (words.length) {
      filter.value = "";
      narrow();
    }
    if (kind !== current) showKind(kind);
    const path = says.slice(kind.id.length + 1);
    const node = path && kind.nodes.find((n) => n.path === path);
    if (node) reveal(node);
    else if (says === kind.id) window.scrollTo(0, 0);
    if (narrowScreen.matches) menu.open = false;
  }

  // ---- The filter.

  // rank says how well a field fits: 3 by its name, 2 by its path, 1 by what is
  // said of it, 0 not at all.
  function rank(node) {
    if (!words.every((word) => node.text.includes(word))) return 0;
    if (!words.every((word) => node.lowerPath.includes(word))) return 1;
    return node.lowerName.includes(words[words.length - 1]) ? 3 : 2;
  }

  // narrow shows the fields that fit the filter.
  function narrow() {
    words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const ranked = [[], [], [], []];
    for (const kind of kinds) {
      let count = 0;
      if (words.length) {
        for (const node of kind.nodes) {
          const fits = rank(node);
          if (fits) {
            count++;
            if (kind === current) ranked[fits].push(node);
          }
        }
      }
      kind.count.textContent = words.length ? count.toLocaleString("en") : "";
      kind.link.classList.toggle("none", words.length > 0 && count === 0);
    }
    if (!words.length) {
      found.textContent = "";
      if (current) showKind(current);
      return;
    }
    const fitting = [...ranked[3], ...ranked[2], ...ranked[1]];
    const most = fitting.slice(0, mostShown);
    const only = new Set();
    for (const node of most) for (let n = node; n; n = n.parent) only.add(n);
    shown = new Map();
    const tree = element("div", "fields");
    const chosen = new Set(most);
    const add = (to, node) => {
      for (const child of node.children) {
        if (!only.has(child)) continue;
        const inner = child.children.some((c) => only.has(c)) && only;
        const details = row(child, chosen.has(child) && !inner ? null : only);
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
    if (current.root) add(tree, current.root);
    place.replaceChildren(tree);
    const of = fitting.length > most.length ? `${most.length} of ${fitting.length.toLocaleString("en")} fields` : fitting.length === 1 ? "1 field" : `${fitting.length} fields`;
    found.textContent = `${of} of ${current.kind} ${current.version}${fitting.length > most.length ? "; the best are shown" : ""}`;
  }

  // ---- The menu.

  const narrowScreen = window.matchMedia("(max-width: 48rem)");

  function fillMenu() {
    let group = null, list = null;
    for (const kind of kinds) {
      if (kind.group !== group) {
        group = kind.group;
        list = element("ul");
        document.getElementById("kinds").append(element("h2", "", group), list);
      }
      kind.count = element("span", "count");
      kind.link = element("a", "", element("span", "name", kind.kind), element("span", "version", kind.version), kind.count);
      kind.link.href = linkOf(kind);
      kind.link.kind = kind;
      kind.link.addEventListener("click", (event) => {
        if (!words.length || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault(); // keep the filter
        showKind(kind);
        narrow();
      });
      list.append(element("li", "", kind.link));
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
  if (kinds.length) follow();
  else found.textContent = "There are no kinds.";
})();
