{{- /* Every section of every chapter. */ -}}
{{- $sections := slice -}}
{{- range site.RegularPages -}}
  {{- $page := . -}}
  {{- range $i, $part := split (replaceRE `<h([23]) id=` "\x00<h$1 id=" .Content) "\x00" -}}
    {{- $id := "" -}}{{- $heading := "" -}}{{- $text := $part -}}
    {{- with findRESubmatch `(?s)\A<h[23] id="?([^" >]+)"?>(.*?)<a class="?anchor.*?</h[23]>` $part 1 -}}
      {{- $match := index . 0 -}}
      {{- $id = index $match 1 -}}
      {{- $heading = index $match 2 | plainify | htmlUnescape | strings.TrimSpace -}}
      {{- $text = strings.TrimPrefix (index $match 0) $part -}}
    {{- end -}}
    {{- $text = replaceRE `\s+` " " (plainify $text | htmlUnescape) -}}
    {{- $sections = $sections | append (dict "page" (path.Base $page.RelPermalink) "anchor" $id "chapter" $page.Title "heading" $heading "text" $text) -}}
  {{- end -}}
{{- end -}}
window.searchIndex = {{ $sections | jsonify }};
