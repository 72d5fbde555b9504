/** The style sheet of every page: the reader's own fonts, light or dark as the reader has it, and any width. */
export const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:light-dark(#0b57d0,#8ab4f8)}
*{box-sizing:border-box}
body{margin:0;font:16px/1.55 system-ui,sans-serif}
header{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;padding:.75rem 1.25rem;border-bottom:1px solid var(--line)}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
main{max-width:62rem;margin:0 auto;padding:1rem 1.25rem 4rem}
a{color:var(--link)}
h1,h2,h3,h4{line-height:1.25;margin:1.6em 0 .5em;overflow-wrap:anywhere}
h1{margin-top:.5em}
code,pre{font:.875em/1.5 ui-monospace,monospace}
:not(pre)>code{background:var(--soft);padding:.1em .3em;border-radius:.25em;overflow-wrap:anywhere}
.language-text{white-space:pre-wrap}
pre{background:var(--soft);padding:.75rem 1rem;border-radius:.4rem;overflow:auto;max-height:30rem}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.75rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}
th{font-weight:600}
td p{margin:0}
.name{white-space:nowrap;width:1%}
.answers{table-layout:fixed}
.answers>tbody>tr>.name{width:4.5rem}
.operation{border:1px solid var(--line);border-radius:.5rem;margin:.75rem 0}
.operation>summary{padding:.6rem .9rem;cursor:pointer;display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
.operation>summary::before{content:'+';font:600 1em ui-monospace,monospace;opacity:.6}
.operation[open]>summary::before{content:'−'}
.operation>summary code{background:none;padding:0}
.operation>div{padding:0 .9rem .6rem;border-top:1px solid var(--line)}
details details summary{cursor:pointer;margin:.5rem 0}
.method{font:600 .8em ui-monospace,monospace;min-width:3.6em}
.get{color:light-dark(#0a6b3d,#6dd58c)}
.post{color:light-dark(#0b57d0,#8ab4f8)}
.put{color:light-dark(#8a5300,#fdd663)}
.delete{color:light-dark(#b3261e,#f2b8b5)}
.soft{opacity:.72}
.up{color:light-dark(#0a6b3d,#6dd58c)}
.down{color:light-dark(#b3261e,#f2b8b5)}
ul.plain{list-style:none;padding:0}
`;
