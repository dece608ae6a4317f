// The name of the program in messages. In a checkout, `build/run.mjs` sets an npm command instead, because the shell does not
// know `counterfoil`.

export const PROGRAM = process.env['COUNTERFOIL_PROGRAM'] ?? 'counterfoil';
