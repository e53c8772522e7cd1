export const id=221;export const ids=[221];export const modules={5221:((e,o,t)=>{t.d(o,{createOpenAI:()=>r.ry});var r=t(4678)})};
