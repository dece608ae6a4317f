// The gateway's error for a field, as a sentence beside that field. Pure.

/** Whether an error path, such as `customer/name`, belongs to the field. */
export function isWithinField(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}/`);
}

/** "customer.name must be short" becomes "Must be short.", because the sentence is shown beside its field. */
export function errorSentence(path: string, detail: string): string {
  const name = `${path.replaceAll('/', '.')} `;
  const text = detail.startsWith(name) ? detail.slice(name.length) : detail;
  const isAddress = /^\w+:\/\//.test(text);
  const sentence = isAddress ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
