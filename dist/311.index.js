export const id=311;export const ids=[311];export const modules={3311:((o,t,e)=>{e.d(t,{createAnthropic:()=>r.nM});var r=e(6644)})};
