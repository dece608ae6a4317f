// Opens a store. SQLite is the only engine; a second engine would be chosen here.

export { openStore } from './sqlite/open.ts';
