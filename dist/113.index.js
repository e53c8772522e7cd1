export const id=113;export const ids=[113];export const modules={113:((o,e,r)=>{r.r(e),r.d(e,{wrapLanguageModel:()=>t.aew});var t=r(2535)})};
