// Node's own HTTP. An `import` of node:http reads all that it exports, among it a WebSocket that loads undici: 12 MB of
// memory, which a process that is to stay small does without. Node's TLS takes 6 MB, so it is loaded where it is used.
export const plainHttp = process.getBuiltinModule('node:http');
export const plainHttps = () => process.getBuiltinModule('node:https');
