// The name of the program in messages. In a checkout npm sets another name, because the shell does not know `counterfoil`.

export const PROGRAM = process.env['COUNTERFOIL_PROGRAM'] ?? 'counterfoil';
