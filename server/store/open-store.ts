// Opens a store. There is one engine; another would be chosen here by the options.

export { openStore } from './sqlite/open.ts';
