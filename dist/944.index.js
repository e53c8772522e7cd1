export const id=944;export const ids=[944];export const modules={3944:((e,o,t)=>{t.r(o),t.d(o,{createOpenAICompatible:()=>r.jr});var r=t(7703)})};
