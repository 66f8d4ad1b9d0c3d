// Search in the sections of the book. The index is loaded when it is first needed. All pages
// are in one folder.
(() => {
  const input = document.getElementById("search-input"), results = document.getElementById("search-results");
  const most = 12;
  let loading;

  const load = () => loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = input.dataset.index;
    script.onload = done;
    document.head.append(script);
  });

  // common words are left out of a question, unless nothing else is left.
  const common = new Set("a an and are as by can do does for from get how i if in is it mean means my of on one or should that the to was what when where which why with".split(" "));

  // wordsOf returns the words to search for, without endings: "refused" also finds "refuses".
  function wordsOf(question) {
    const all = question.toLowerCase().split(/:?[\s?"(),[\]]+/).filter(Boolean);
    const rare = all.filter((word) => !common.has(word));
    return [...new Set((rare.length ? rare : all).map((word) => word.replace(/^([a-z]{3,}?)(ing|ed|es|s)$/, "$1")))];
  }

  // count returns how often a word occurs. A short one is no part of another word.
  function count(text, word) {
    if (word.length > 3) return text.split(word).length - 1;
    return text.split(/[^a-z0-9]+/).filter((w) => w === word).length;
  }

  // rank returns the sections that match, best first. A word counts more if few sections have it, and a
  // section with all words more than one with some.
  function rank(words) {
    const points = window.searchIndex.map(({ chapter, heading, text }) => words.map((word) => {
      const title = (heading || chapter).toLowerCase();
      const parts = title.split(/[^a-z0-9-]+/);
      const inTitle = title === word ? 60 : title.startsWith(word) ? 30 : parts.includes(word) ? 25 : count(title, word) ? 20 : 0;
      return inTitle + (count(chapter.toLowerCase(), word) ? 10 : 0) + Math.min(count(text.toLowerCase(), word), 6);
    }));
    const rarity = words.map((_, i) => Math.log(1 + points.length / (1 + points.filter((p) => p[i]).length)));
    const score = (p, anchor) => p.reduce((sum, n, i) => sum + n * rarity[i], anchor ? 0 : 3) * (p.filter(Boolean).length / words.length) ** 2;
    return window.searchIndex.map((section, i) => [score(points[i], section.anchor), section])
      .filter((_, i) => points[i].some(Boolean)).sort((a, b) => b[0] - a[0]).map(([, section]) => section);
  }

  // excerpt returns the text around the first word, with the words marked.
  function excerpt(text, words) {
    const at = Math.max(0, Math.min(...words.map((w) => text.toLowerCase().indexOf(w)).filter((i) => i >= 0), text.length) - 40);
    return marked((at ? "…" : "") + text.slice(at, at + 140) + "…", words);
  }

  function marked(text, words) {
    const out = document.createElement("span"), lower = text.toLowerCase();
    for (let i = 0; i < text.length;) {
      const next = words.map((w) => [lower.indexOf(w, i), w.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
      if (!next) { out.append(text.slice(i)); break; }
      const mark = document.createElement("mark");
      mark.textContent = text.slice(next[0], next[0] + next[1]);
      out.append(text.slice(i, next[0]), mark);
      i = next[0] + next[1];
    }
    return out;
  }

  async function show() {
    await load();
    const words = wordsOf(input.value);
    const found = words.length ? rank(words) : [];
    results.replaceChildren(...found.slice(0, most).map(({ page, anchor, chapter, heading, text }) => {
      const item = document.createElement("li"), link = document.createElement("a"), title = document.createElement("strong");
      link.href = page + (anchor ? "#" + anchor : "");
      title.append(marked(heading ? chapter + " › " + heading : chapter, words));
      link.append(title, excerpt(text, words));
      link.onclick = close;
      item.append(link);
      return item;
    }));
    if (words.length && !found.length) {
      const item = document.createElement("li");
      item.textContent = "Nothing found.";
      results.append(item);
    }
    results.hidden = !words.length;
  }

  function close() { results.hidden = true; }

  // move focuses the result above or below.
  function move(step) {
    const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement) + step;
    (at < 0 ? input : links[Math.min(at, links.length - 1)])?.focus();
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { load(); if (input.value) show(); });
  document.addEventListener("click", (event) => { if (!event.target.closest("search")) close(); });
  document.addEventListener("keydown", (event) => {
    const inside = event.target.closest?.("search");
    if (event.key === "/" && !inside && !event.ctrlKey && !event.metaKey) { event.preventDefault(); input.focus(); }
    if (!inside) return;
    if (event.key === "Escape") { close(); input.blur(); }
    if (event.key === "ArrowDown") { event.preventDefault(); move(1); }
    if (event.key === "ArrowUp") { event.preventDefault(); move(-1); }
    if (event.key === "Enter" && event.target === input) results.querySelector("a")?.click();
  });

  // The list of chapters is open where there is room for it.
  const chapters = document.querySelector(".chapters details"), wide = matchMedia("(min-width: 56rem)");
  const fit = () => { chapters.open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();
})();
