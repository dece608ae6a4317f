// The text of a file that a spreadsheet or a till wrote, in whichever of the usual encodings it did. Pure but for the reading.

/** What is no UTF-8 is what Windows writes in Western Europe. */
export function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export async function textOfFile(file: File): Promise<string> {
  return textOf(new Uint8Array(await file.arrayBuffer()));
}
