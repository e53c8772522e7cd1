export const id=119;export const ids=[119];export const modules={1119:((o,e,r)=>{r.d(e,{TurndownService:()=>t});var t=r(5488)})};
