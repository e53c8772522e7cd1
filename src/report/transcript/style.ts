import { createHash } from 'node:crypto'

const light = `
--page:#ffffff;--panel:#f6f8fa;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--link:#0550ae;--focus:#0969da;
--add:#dafbe1;--addtext:#0f5323;--del:#ffebe9;--deltext:#82071e;--bad:#b3142a;--good:#116329;
--user:#8250df;--model:#1158c7;--tool:#bc4c00;--t1:#8c959f;--t2:#9a6700;--t3:#1a7f37;--t4:#8250df;`
const dark = `
--page:#0d1117;--panel:#151b23;--text:#f0f6fc;--soft:#a3abb4;--line:#3d444d;--link:#79c0ff;--focus:#58a6ff;
--add:#12361f;--addtext:#aff5b4;--del:#4c1419;--deltext:#ffdcd7;--bad:#ff9492;--good:#7ee787;
--user:#c297ff;--model:#79b8ff;--tool:#f0a45d;--t1:#8b949e;--t2:#e3b341;--t3:#7ee787;--t4:#c297ff;`

/** The page's whole style. Colours keep a contrast of at least 4.5 to 1 in both schemes. */
export const style = `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:64rem;background:var(--page);color:var(--text);font:16px/1.5 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.25rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:0}h4{font-size:.875rem;margin:.5rem 0 .25rem;color:var(--soft)}
a{color:var(--link)}:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.skip{position:absolute;left:-100vw}.skip:focus{position:static;display:inline-block;padding:.5rem}
.soft,time{color:var(--soft);font-size:.875rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(12rem,45%),1fr));gap:.5rem;margin:1rem 0;padding:0}
dl div{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem}dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-weight:600}
article{border:1px solid var(--line);border-left:4px solid var(--model);border-radius:.5rem;margin:.75rem 0;padding:.75rem 1rem;background:var(--page)}
article.user{border-left-color:var(--user)}
article>header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;margin-bottom:.5rem}
h3 .soft{font-weight:400}
.text{white-space:pre-wrap;margin:.5rem 0}
.foot{color:var(--soft);font-size:.8rem;margin:.5rem 0 0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem}
pre{white-space:pre-wrap;background:var(--panel);border:1px solid var(--line);border-radius:.375rem;padding:.5rem .75rem;margin:.25rem 0}
.diff ins{background:var(--add);color:var(--addtext);text-decoration:none}.diff del{background:var(--del);color:var(--deltext);text-decoration:none}.hunk{color:var(--soft)}
details{border:1px solid var(--line);border-radius:.375rem;margin:.5rem 0;padding:0 .75rem}
details[open]{padding-bottom:.5rem}
summary{cursor:pointer;padding:.4rem 0;border-radius:.25rem}
summary .name{font-weight:600;color:var(--tool)}summary .took{color:var(--soft);font-size:.8rem}
.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}
img{max-width:100%;height:auto;border:1px solid var(--line)}
.scroll{overflow:auto;max-height:34rem;border:1px solid var(--line);border-radius:.375rem;padding:.25rem}
.scroll svg{display:block;min-width:44rem;width:100%;height:auto}
svg text{fill:var(--text);font:11px system-ui,"Segoe UI",Helvetica,Arial,sans-serif}svg .note{fill:var(--soft)}
.axis{stroke:var(--line)}.wait{stroke:var(--soft);stroke-dasharray:2 3}.row{fill:var(--panel)}
.think{fill:var(--model)}.call{fill:var(--tool)}.failed{fill:var(--bad)}.cached{fill:var(--t1)}.fresh{fill:var(--t2)}.out{fill:var(--t3)}.reason{fill:var(--t4)}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.25rem 0;padding:0;font-size:.8rem}.key svg{width:.8rem;height:.8rem;min-width:0;display:inline-block;vertical-align:-.1rem;margin-right:.3rem}
table{border-collapse:collapse;font-size:.8125rem;width:100%}caption{text-align:left;color:var(--soft);padding:.25rem 0}th,td{text-align:left;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
@media print{:root{${light}}body{max-width:none;font-size:11pt}article{break-inside:auto;border-color:var(--line)}details::details-content{content-visibility:visible;block-size:auto}.scroll{max-height:none;overflow:visible}.scroll svg{min-width:0}.skip{display:none}}
`

/**
 * What the page may do: show itself, in this one style, and pictures that are inside it. No script, no request, no form (a browser that
 * opens it from a run's artifacts shows texts of anybody).
 */
export const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'`
