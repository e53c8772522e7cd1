export const id=917;export const ids=[917];export const modules={8917:((o,e,t)=>{t.d(e,{createAmazonBedrock:()=>r.Dh});var r=t(5399)})};
