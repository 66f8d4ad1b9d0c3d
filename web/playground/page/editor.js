// An editor of a file: CodeMirror in a shadow root, where style sheets are constructed, so that the content security
// policy needs no exception for them.
import {autocompletion, completionKeymap} from "@codemirror/autocomplete";
import {defaultKeymap, history, historyKeymap, indentWithTab} from "@codemirror/commands";
import {goLanguage} from "@codemirror/lang-go";
import {yamlLanguage} from "@codemirror/lang-yaml";
import {bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting} from "@codemirror/language";
import {lintKeymap, setDiagnostics} from "@codemirror/lint";
import {Compartment, EditorState} from "@codemirror/state";
import {EditorView, hoverTooltip, keymap, lineNumbers} from "@codemirror/view";
import {tags} from "@lezer/highlight";

const highlighting = syntaxHighlighting(HighlightStyle.define([
  {tag: [tags.keyword, tags.modifier], color: "var(--keyword)"},
  {tag: tags.string, color: "var(--string)"},
  {tag: tags.comment, color: "var(--comment)"},
  {tag: [tags.definition(tags.typeName), tags.definition(tags.propertyName)], color: "var(--name)"},
  {tag: [tags.number, tags.bool, tags.null, tags.typeName], color: "var(--number)"},
]));

const box = {background: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "6px"};
const wavy = (color) => ({background: "none", textDecoration: `underline wavy ${color} 1px`, textUnderlineOffset: "3px"}); // without a picture
const theme = EditorView.theme({
  "&": {...box, fontSize: ".85rem"},
  "&.cm-focused": {outline: "2px solid var(--link)", outlineOffset: "2px"},
  ".cm-scroller": {fontFamily: "var(--mono)", lineHeight: "1.5", maxHeight: "36rem"},
  ".cm-content": {caretColor: "var(--text)"},
  ".cm-gutters": {background: "var(--raised)", color: "var(--muted)", border: "0"},
  "& .cm-tooltip": {...box, zIndex: "4", maxWidth: "min(36rem, 90vw)"},
  ".cm-explanation, & .cm-completionInfo": {padding: ".4rem .6rem", maxHeight: "16rem", overflow: "auto", whiteSpace: "pre-wrap"},
  "& .cm-tooltip-autocomplete ul li[aria-selected]": {background: "var(--link)", color: "var(--back)"},
  ".cm-lintRange-error": wavy("var(--keyword)"),
  ".cm-lintRange-warning": wavy("var(--link)"),
  ".cm-lintRange-info": wavy("var(--muted)"),
  "& .cm-diagnosticAction": {font: "inherit", background: "var(--link)", color: "var(--back)"},
});

// Editor shows a text below the name in an input. Its callbacks are changed(), and ask(method, cursor), which returns
// a promise of completions, or of one that only explains.
export class Editor {
  constructor(host, input, text, {changed, ask}) {
    const language = new Compartment();
    const parsed = () => language.reconfigure(input.value.endsWith(".go") ? goLanguage : yamlLanguage);
    const cursor = (state, pos) => ({File: input.value, Before: state.sliceDoc(0, pos), After: state.sliceDoc(pos)});
    const root = host.attachShadow({mode: "open"});
    this.input = input;
    this.view = new EditorView({root, parent: root, doc: text, extensions: [
      language.of([]), highlighting, theme, lineNumbers(), history(), bracketMatching(), indentOnInput(), indentUnit.of("\t"), EditorState.tabSize.of(4),
      autocompletion({override: [async ({state, pos, explicit}) => {
        const isComment = state.doc.lineAt(pos).text.trimStart().startsWith("//");
        return explicit || isComment ? completions(await ask("complete", cursor(state, pos))) : null;
      }]}),
      hoverTooltip(async ({state}, pos) => explanation(await ask("explain", cursor(state, pos)))),
      keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
      EditorView.contentAttributes.of(() => ({"aria-label": input.value, "aria-description": "Escape, then Tab leaves the editor."})),
      EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
    ]});
    this.view.dispatch({effects: parsed()});
    input.addEventListener("input", () => this.view.dispatch({effects: parsed()}));
  }

  get name() { return this.input.value; }

  get text() { return this.view.state.doc.toString(); }

  // offset returns the offset of a line and a column, both from 1. The text may be another one than a finding is about.
  offset(line, column) {
    const {doc} = this.view.state;
    const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return Math.min(found.from + Math.max(column, 1) - 1, found.to);
  }

  range(f) {
    const from = this.offset(f.line, f.column);
    return {from, to: f.endLine ? Math.max(from, this.offset(f.endLine, f.endColumn)) : from};
  }

  // underline shows findings with the actions of their fixes.
  underline(findings, apply) {
    this.view.dispatch(setDiagnostics(this.view.state, findings.map((f) => ({
      ...this.range(f), severity: f.severity === "note" ? "info" : f.severity, message: [f.message, f.hint].filter(Boolean).join("\n"),
      actions: (f.fixes ?? []).map((fix) => ({name: fix.message, apply: () => apply(fix)})),
    }))));
  }

  select(f) {
    const {from, to} = this.range(f);
    this.view.dispatch({selection: {anchor: from, head: to}, scrollIntoView: true});
    this.view.focus();
  }

  edit(edits) {
    this.view.dispatch({changes: edits.map((e) => ({...this.range(e), insert: e.new}))});
  }
}

// completions returns those that replace the shortest text: CodeMirror shows only such with the same beginning.
function completions(found) {
  if (!found?.length) return null;
  const from = Math.max(...found.map((c) => c.Start));
  return {from, options: found.filter((c) => c.Start === from).map((c) => ({
    label: c.Label, detail: c.Detail, info: c.Markdown, apply: (view) => view.dispatch({
      changes: {from, to: c.End, insert: c.New}, selection: {anchor: from + c.New.length}, userEvent: "input.complete",
    }),
  }))};
}

function explanation(found) {
  if (!found?.length) return null;
  const [{Start: pos, End: end, Markdown: text}] = found;
  const dom = document.createElement("div");
  dom.className = "cm-explanation";
  dom.textContent = text;
  return {pos, end, above: true, create: () => ({dom})};
}
