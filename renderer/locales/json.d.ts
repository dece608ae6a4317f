// The two parts of a language's file. `later.ts` says which namespaces are in which part.

declare module '*.json?first' {
  const words: Readonly<Record<string, Readonly<Record<string, string>>>>;
  export default words;
}

declare module '*.json?later' {
  const words: Readonly<Record<string, Readonly<Record<string, string>>>>;
  export default words;
}
