// The playground's page. Text from outside, which may come from a hostile link, is only shown as text.
"use strict";

const limits = {bytes: 500_000, files: 20, time: 20_000};
const element = (id) => document.getElementById(id);
const objectName = "object.yaml";
const example = {
  files: [{name: "types.go", text: `// +groupName=example.com
// +schemagen:unions=cel
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is shown on a page.
type Widget struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`

	Spec WidgetSpec \`json:"spec"\`
}

type WidgetSpec struct {
	// Columns is the width of the widget.
	// +kubebuilder:validation:Maximum=12
	// +kubebuilder:default=4
	Columns int32 \`json:"columns,omitempty"\`

	// Type selects what is shown.
	// +kubebuilder:validation:Enum=Text;Image
	// +unionDiscriminator
	// +required
	Type string \`json:"type,omitempty"\`
	// +unionMember
	// +kubebuilder:validation:MaxLength=200
	Text *string \`json:"text,omitempty"\`
	// +unionMember
	Image *string \`json:"image,omitempty"\`
}
`}],
  object: `apiVersion: example.com/v1
kind: Widget
metadata:
  name: hello
  namespace: default
spec:
  type: Text
  text: Hello
`,
};

// old are the files that the current ones are compared with.
let old = [];

const say = (text) => { element("status").textContent = text; };
const editors = () => [...element("files").children].map((fieldset) => ({
  fieldset, name: fieldset.querySelector(".name").value, area: fieldset.querySelector("textarea"),
}));

function state() {
  const texts = editors().map(({name, area}) => ({name, text: area.value}));
  return {files: texts.filter((f) => f.name !== objectName), object: texts.find((f) => f.name === objectName)?.text ?? "", old};
}

function show(s) {
  element("files").replaceChildren();
  for (const {name, text} of s.files) addEditor(name, text);
  addEditor(objectName, s.object ?? "");
  old = s.old ?? [];
  changed();
}

function addEditor(name, text) {
  const fieldset = element("file").content.cloneNode(true).firstElementChild;
  const input = fieldset.querySelector(".name");
  const area = fieldset.querySelector("textarea");
  input.value = name;
  area.value = text;
  const label = () => area.setAttribute("aria-label", input.value);
  label();
  input.addEventListener("input", label);
  fieldset.addEventListener("input", changed);
  fieldset.querySelector(".remove").addEventListener("click", () => {
    fieldset.remove();
    element("add").focus();
    changed();
  });
  element("files").append(fieldset);
  return input;
}

// Runs. There is at most one at a time; if the state changes meanwhile, another one follows.
let worker, ready = false, number = 0, running = 0, waiting = false, timer, began;

function changed() {
  waiting = true;
  if (!running) setTimeout(next, 30);
}

function next() {
  if (running || !waiting) return;
  waiting = false;
  running = ++number;
  element("stop").disabled = false;
  if (!worker) {
    ready = false;
    say("Loading 14 MB…");
    worker = new Worker(element("playground").dataset.worker);
    worker.addEventListener("message", ({data}) => answered(data));
    worker.addEventListener("error", (e) => end(e.message || "The program could not be loaded."));
  }
  if (ready) limit();
  began = performance.now();
  worker.postMessage({number, state: JSON.stringify(state())});
}

// limit bounds the time of a run from now.
function limit() {
  say("Running…");
  clearTimeout(timer);
  timer = setTimeout(() => end("Stopped after 20 seconds. Change something to run again."), limits.time);
}

// end ends the worker. The next run starts another one.
function end(why) {
  clearTimeout(timer);
  worker?.terminate();
  worker = undefined;
  running = 0;
  element("stop").disabled = true;
  say(why);
}

function answered(data) {
  if (data.fatal) {
    end(`${data.fatal}. Change something to run again.`);
    return;
  }
  if (data.ready) {
    ready = true;
    began = performance.now();
    if (running) limit();
    return;
  }
  if (data.number !== running) return;
  clearTimeout(timer);
  running = 0;
  element("stop").disabled = true;
  render(data.error ? failed(data.error) : JSON.parse(data.result));
  say(`Computed in ${Math.round(performance.now() - began)} ms.`);
  if (waiting) next();
}

function render(result) {
  const texts = {
    stored: result.stored, changes: (result.changes ?? []).join("\n"), docs: result.docs,
    crds: (result.crds ?? []).map((f) => `# ${f.name}\n${f.text}`).join("\n"),
  };
  if (old.length && !texts.changes) texts.changes = "None.";
  for (const [id, text] of Object.entries(texts)) {
    element(id).textContent = text;
    element(id).parentElement.hidden = !text;
  }
  const items = result.findings.diagnostics.map(finding);
  if (!items.length) {
    items.push(document.createElement("li"));
    items[0].textContent = "None.";
  }
  element("findings").replaceChildren(...items);
}

// failed returns the result of a state that cannot be run, such as one with a file that has no name.
const failed = (message) => ({findings: {diagnostics: [{severity: "error", code: "", message}]}});

function finding(f) {
  const item = document.createElement("li");
  item.className = f.severity;
  const severity = document.createElement("span");
  severity.className = "severity";
  severity.textContent = `${f.severity} ${f.code}`;
  item.append(severity, ` ${f.message}`, f.hint ? `\nhint: ${f.hint}` : "");
  const target = editors().find((e) => e.name === f.file);
  if (target) item.append(button(`${f.file}:${f.line}:${f.column}`, () => select(target.area, f)));
  for (const fix of f.fixes ?? []) item.append(button(`Fix: ${fix.message}`, () => apply(fix.edits)));
  return item;
}

function button(text, action) {
  const out = document.createElement("button");
  out.type = "button";
  out.textContent = text;
  out.addEventListener("click", action);
  return out;
}

// offset returns the offset of a line and a column, both from 1, in a text.
function offset(text, line, column) {
  let start = 0;
  for (; line > 1; line--) start = text.indexOf("\n", start) + 1;
  return start + Math.max(column, 1) - 1;
}

function select(area, f) {
  const start = offset(area.value, f.line, f.column);
  const stop = f.endLine ? offset(area.value, f.endLine, f.endColumn) : start;
  area.focus();
  area.setSelectionRange(start, stop);
  area.scrollTop = (f.line - 4) * parseFloat(getComputedStyle(area).lineHeight);
}

function apply(edits) {
  const last = (a, b) => b.line - a.line || b.column - a.column;
  for (const e of [...edits].sort(last)) {
    const target = editors().find(({name}) => name === e.file);
    const text = target?.area.value ?? "";
    target?.area.setRangeText(e.new, offset(text, e.line, e.column), offset(text, e.endLine, e.endColumn));
  }
  changed();
}

// Links. The fragment has the compressed JSON of a state, which the browser sends nowhere.
const piped = (data, stream) => new Blob([data]).stream().pipeThrough(stream);

async function link() {
  const bytes = new Uint8Array(await new Response(piped(JSON.stringify(state()), new CompressionStream("deflate-raw"))).arrayBuffer());
  const text = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  return "#s=" + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function linked(fragment) {
  const text = atob(fragment.slice("#s=".length).replaceAll("-", "+").replaceAll("_", "/"));
  const reader = piped(Uint8Array.from(text, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  for (let size = 0, chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.length;
    if (size > limits.bytes) throw new Error("it has more than 500 kB");
    chunks.push(chunk.value);
  }
  const s = JSON.parse(await new Blob(chunks).text());
  const list = (files) => {
    if (!Array.isArray(files) || files.length > limits.files) throw new Error("it has no list of at most 20 files");
    return files.map(({name, text}) => ({name: String(name), text: String(text)}));
  };
  return {files: list(s.files), object: String(s.object ?? ""), old: list(s.old ?? [])};
}

async function opened() {
  let s = example, problem = "";
  try {
    if (location.hash.startsWith("#s=")) s = await linked(location.hash);
  } catch (e) {
    problem = `The link cannot be read: ${e.message}.`;
  }
  element("problem").textContent = problem;
  show(s);
}

element("share").addEventListener("click", async () => {
  history.replaceState(null, "", await link());
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  say("The address of this page is the link.");
});
element("keep").addEventListener("click", () => {
  old = state().files;
  changed();
});
element("stop").addEventListener("click", () => {
  waiting = false;
  end("Stopped. Change something to run again.");
});
element("add").addEventListener("click", () => addEditor(`file${editors().length}.go`, "").focus());
addEventListener("hashchange", opened);

if (location.protocol === "file:") say("The playground works on a web server, not from disk.");
else if (!globalThis.WebAssembly || !globalThis.DecompressionStream) say("The playground needs a browser with WebAssembly.");
else opened();
