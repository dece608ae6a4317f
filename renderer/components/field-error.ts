// What the gateway says is wrong with a field, as a sentence beside that field. Pure.

/** Whether a fault at a path such as `customer/name` is one of this field. */
export function isWithinField(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}/`);
}

/** "customer.name must be short" is "Must be short." where the field itself says which one it is. */
export function errorSentence(path: string, detail: string): string {
  const name = `${path.replaceAll('/', '.')} `;
  const text = detail.startsWith(name) ? detail.slice(name.length) : detail;
  const isAddress = /^\w+:\/\//.test(text);
  const sentence = isAddress ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
