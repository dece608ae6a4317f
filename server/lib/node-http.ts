// Functions of `node:http`. Other modules import only its types: a plain import reads all exports of `node:http`, and one of
// them loads Node's own copy of undici. That would take a fifth of the processor time of a command.

export const { createServer, get, request } = process.getBuiltinModule('node:http');
