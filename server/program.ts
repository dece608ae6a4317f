// What the command line is called here: in a checkout npm starts it, and `counterfoil` alone is not known to the shell.

export const PROGRAM = process.env['COUNTERFOIL_PROGRAM'] ?? 'counterfoil';
