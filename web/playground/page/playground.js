// The playground's page. Text from outside, which may come from a hostile link, is only shown as text.
import {Editor} from "./editor.js";
import exampleObject from "./object.yaml";
import exampleTypes from "./types.txt";

const limits = {bytes: 500_000, files: 20, time: 20_000, shown: 300_000, findings: 200};
const pause = 50; // milliseconds without a change before a run
const objectName = "object.yaml";
const example = {files: [{name: "types.go", text: exampleTypes}], object: exampleObject};
const element = (id) => document.getElementById(id);
const say = (text) => { element("status").textContent = text; };

// old are the files that the current ones are compared with, ran is the state that the findings are about, and address
// the last link.
let editors = [], old = [], ran, address;

function state() {
  const files = editors.map(({name, text}) => ({name, text}));
  const object = files.find((f) => f.name === objectName);
  return {files: files.filter((f) => f !== object), object: object?.text ?? "", old};
}

// checked returns a state unless it is too large.
function checked(s) {
  if (Math.max(s.files.length, s.old.length) > limits.files) throw new Error(`there are more than ${limits.files} files`);
  if (new Blob([JSON.stringify(s)]).size > limits.bytes) throw new Error("the text has more than 500 kB");
  return s;
}

function show(s) {
  element("files").replaceChildren();
  editors = [];
  for (const {name, text} of s.files) addEditor(name, text);
  addEditor(objectName, s.object);
  old = s.old ?? [];
  changed();
}

function addEditor(name, text) {
  const fieldset = document.importNode(element("file").content, true).firstElementChild;
  const input = fieldset.querySelector(".name");
  const remove = fieldset.querySelector(".remove");
  const named = () => {
    fieldset.ariaLabel = input.value;
    remove.ariaLabel = `Remove ${input.value}`;
  };
  input.value = name;
  const editor = new Editor(fieldset.querySelector(".editor"), input, text, {changed, ask});
  named();
  input.addEventListener("input", () => { named(); changed(); });
  remove.addEventListener("click", () => {
    fieldset.remove();
    editors = editors.filter((e) => e !== editor);
    element("add").focus();
    changed();
  });
  editors.push(editor);
  element("files").append(fieldset);
  return input;
}

// The program runs in a worker, one call after another. An answer has a result, or an error about the argument, or the
// reason why the worker has ended.
let worker, ready = false, number = 0, timer, began;
const calls = new Map();

function call(method, argument) {
  if (!worker) {
    say("Loading 15 MB…");
    const started = new Worker("playground-worker.js");
    worker = started;
    started.addEventListener("message", ({data}) => { if (worker === started) answered(data); }); // not if it has ended
    started.addEventListener("error", (e) => { if (worker === started) end(`${e.message || "The program could not be loaded"}.`); });
  }
  worker.postMessage({number: ++number, method, argument: JSON.stringify(argument)});
  return new Promise((answer) => calls.set(number, answer));
}

// ask asks about a place in a text, unless the worker has ended.
const ask = async (method, cursor) => (worker ? (await call(method, cursor)).result : undefined);

function answered(data) {
  if (data.fatal) {
    end(`Stopped: ${data.fatal}.`);
  } else if (data.ready) {
    ready = true;
    limit();
  } else {
    calls.get(data.number)(data.result ? {result: JSON.parse(data.result)} : {error: data.error});
    calls.delete(data.number);
  }
}

// limit bounds the time of a run from now.
function limit() {
  if (!running || !ready) return;
  say("Running…");
  began = performance.now();
  clearTimeout(timer);
  timer = setTimeout(() => end("Stopped after 20 seconds."), limits.time);
}

// end ends the worker. The next run starts another one.
function end(why) {
  worker?.terminate();
  worker = undefined;
  ready = waiting = false;
  for (const answer of calls.values()) answer({ended: `${why} Change something to run again.`});
  calls.clear();
}

// Runs. There is at most one at a time; if the state changes meanwhile, another one follows.
let running = false, waiting = false, delay;

function changed() {
  clearTimeout(delay);
  delay = setTimeout(run, pause);
}

async function run() {
  waiting = running;
  if (running) return;
  try {
    const s = checked(state());
    running = true;
    element("stop").disabled = false;
    limit();
    const {result, error, ended} = await call("run", s);
    if (error) throw new Error(error);
    const found = result && render(result, s);
    say(ended ?? `${found}, computed in ${Math.round(performance.now() - began)} ms.`);
  } catch (e) { // such as a file without a name
    say(render({findings: {diagnostics: [{severity: "error", code: "", message: e.message}]}}));
  }
  clearTimeout(timer);
  running = false;
  element("stop").disabled = true;
  if (waiting) run();
}

// render shows the result of a state, and returns the number of findings in words.
function render(result, s) {
  ran = JSON.stringify(s);
  const joined = (files) => files?.map((f) => `# ${f.name}\n${f.text}`).join("\n");
  const texts = {
    stored: result.stored, changes: result.changes ? result.changes.join("\n") || "None." : "", docs: result.docs,
    crds: joined(result.crds), previous: joined(s?.old),
  };
  element("forget").hidden = !old.length;
  for (const [id, text = ""] of Object.entries(texts)) {
    const more = text.length - limits.shown;
    element(id).textContent = more > 0 ? `${text.slice(0, limits.shown)}\n… and ${more} characters more` : text;
    element(id).parentElement.hidden = !text;
  }
  const all = result.findings.diagnostics;
  const findings = all.slice(0, limits.findings);
  const items = findings.map(finding);
  if (!all.length) items.push(item("None."));
  if (all.length > findings.length) items.push(item(`… and ${all.length - findings.length} more.`));
  element("findings").replaceChildren(...items);
  for (const e of editors) e.underline(findings.filter((f) => f.file === e.name), apply);
  return all.length === 1 ? "1 finding" : `${all.length || "No"} findings`;
}

function item(...content) {
  const out = document.createElement("li");
  out.append(...content);
  return out;
}

function finding(f) {
  const severity = document.createElement("span");
  severity.className = "severity";
  severity.textContent = `${f.severity} ${f.code}`;
  const out = item(severity, ` ${f.message}`, f.hint ? `\nhint: ${f.hint}` : "");
  out.className = f.severity;
  const target = editors.find((e) => e.name === f.file);
  const place = `${f.file}:${f.line}:${f.column}`;
  if (f.file) out.append(target ? button(place, () => target.select(f)) : `\n${place}`);
  for (const fix of f.fixes ?? []) out.append(button(`Fix: ${fix.message}`, () => apply(fix)));
  return out;
}

function button(text, action) {
  const out = document.createElement("button");
  out.type = "button";
  out.textContent = text;
  out.addEventListener("click", action);
  return out;
}

function apply(fix) {
  if (JSON.stringify(state()) !== ran) say("The text has changed since this fix was found. Try again after the next run.");
  else for (const e of editors) e.edit(fix.edits.filter(({file}) => file === e.name));
}

// Links. The fragment has the compressed JSON of a state, which the browser sends nowhere.
const piped = (data, stream) => new Blob([data]).stream().pipeThrough(stream);

async function link() {
  const bytes = new Uint8Array(await new Response(piped(JSON.stringify(checked(state())), new CompressionStream("deflate-raw"))).arrayBuffer());
  const text = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  return "#s=" + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function linked(fragment) {
  const text = atob(fragment.slice("#s=".length).replaceAll("-", "+").replaceAll("_", "/"));
  const reader = piped(Uint8Array.from(text, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  for (let size = 0, chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.length;
    if (size > limits.bytes) throw new Error("the text has more than 500 kB");
    chunks.push(chunk.value);
  }
  const s = JSON.parse(await new Blob(chunks).text());
  const list = (files) => files.map(({name, text}) => ({name: String(name), text: String(text)}));
  return checked({files: list(s.files), object: String(s.object ?? ""), old: list(s.old ?? [])});
}

// opened shows the text of the link that the page has as its address. Without one, or for the link that it showed last, it
// leaves what there is.
async function opened() {
  if (!location.hash.startsWith("#s=") || location.hash === address) return;
  address = location.hash;
  let problem = "";
  try {
    show(await linked(location.hash));
  } catch (e) {
    problem = `The link cannot be read: ${e.message}.`;
  }
  element("problem").textContent = problem;
}

// start shows what there was before a reload, or the text of a link, or else the example.
function start() {
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem("left", JSON.stringify({...state(), address: location.hash}));
    } catch { } // it is too large, or the browser keeps nothing
  });
  const left = JSON.parse(sessionStorage.getItem("left"));
  const isAgain = performance.getEntriesByType("navigation")[0].type === "reload" && left?.address === location.hash;
  if (isAgain) address = left.address;
  show(isAgain ? left : example);
  opened();
}

element("share").addEventListener("click", async () => {
  try {
    address = await link();
    history.replaceState(null, "", address);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say("The address of this page is the link.");
  } catch (e) {
    say(`There is no link: ${e.message}.`);
  }
});
element("keep").addEventListener("click", () => {
  old = state().files;
  changed();
});
element("forget").addEventListener("click", () => {
  old = [];
  element("keep").focus();
  changed();
});
element("stop").addEventListener("click", () => end("Stopped."));
element("add").addEventListener("click", () => {
  let n = 1;
  while (editors.some((e) => e.name === `file${n}.go`)) n++;
  addEditor(`file${n}.go`, "").focus();
});
addEventListener("hashchange", opened);

if (location.protocol === "file:") say("The playground works on a web server, not from disk.");
else if (!globalThis.WebAssembly || !globalThis.DecompressionStream) say("The playground needs a browser with WebAssembly.");
else start();
