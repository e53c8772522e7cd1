export const id=88;export const ids=[88];export const modules={7088:((e,o,t)=>{t.d(o,{createGoogleGenerativeAI:()=>r.sw});var r=t(785)})};
