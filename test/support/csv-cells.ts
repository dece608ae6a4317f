// Reads an export as a spreadsheet does.

/** Splits the file into cells. */
export function parseCsv(csv: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const text = csv.replace(/^\uFEFF/, '');
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (isQuoted) {
      if (character === '"' && text[i + 1] === '"') cell += text[(i += 1)];
      else if (character === '"') isQuoted = false;
      else cell += character;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator || character === '\n') {
      rows.at(-1)?.push(cell);
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  return rows.slice(0, -1);
}
