// Where a store comes from. There is one engine; another would be chosen here by what the options name.

export { openStore } from './sqlite/open.ts';
