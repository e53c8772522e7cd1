export const id=852;export const ids=[852];export const modules={9471:((e,t,o)=>{o.r(t),o.d(t,{createMCPClient:()=>s.MT,validateJSONRPCMessage:()=>s.HM});var s=o(6534)})};
