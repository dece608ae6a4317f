// Decodes text files of spreadsheets and tills in any common encoding. Pure, except for reading the file.

/** Text that is not UTF-8 is read as Windows-1252, the default of Windows in Western Europe. */
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
