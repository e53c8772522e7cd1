export const id=99;export const ids=[99];export const modules={8099:((o,t,e)=>{e.d(t,{parseDocument:()=>s.Tp});var s=e(8815)})};
