// The theme: one accent colour, and a colour for each state, in a light and a dark scheme. Contrast is at least 4.5:1 in both
// schemes.

import { createTheme, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '600' },
  components: {
    // with its default role, a screen reader would find a second banner on the page
    ModalHeader: { defaultProps: { role: 'none' } },
    ModalCloseButton: { defaultProps: { size: 36 } },
    // Mantine's placeholder for the focus has an ARIA role that is not allowed inside a menu
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
});

/** The tones of states; each has a colour, an icon and a word. */
export const TONES = ['fine', 'waiting', 'differs', 'bad', 'unknown'] as const;
export type Tone = (typeof TONES)[number];

const LIGHT: Record<Tone | 'test', string> = {
  fine: '#15692f',
  waiting: '#1a5fb4',
  differs: '#8a5300',
  bad: '#b42318',
  unknown: '#555b65',
  test: '#6d28d9',
};
const DARK: Record<Tone | 'test', string> = {
  fine: '#69d58c',
  waiting: '#85b8ff',
  differs: '#f5b94d',
  bad: '#ff9a8d',
  unknown: '#a9b0bb',
  test: '#c4a5ff',
};

/** Button colours under the mouse pointer. They are dark enough for white text. */
const FILLED = {
  '--mantine-color-teal-filled-hover': '#066649',
  '--mantine-color-red-filled-hover': '#a51e1e',
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...named(LIGHT),
    ...FILLED,
    '--mantine-color-dimmed': '#5c636e',
    '--mantine-color-placeholder': '#5c636e',
    '--mantine-color-error': LIGHT.bad,
    '--mantine-color-teal-light-color': '#066649',
    '--cf-line': '#e3e6ea',
    '--cf-rail': '#f6f7f9',
    '--cf-differs-back': '#fdf0d0',
  },
  dark: {
    ...named(DARK),
    ...FILLED,
    '--mantine-color-dimmed': '#a3abb6',
    '--mantine-color-placeholder': '#a3abb6',
    '--mantine-color-error': DARK.bad,
    '--cf-line': '#33373f',
    '--cf-rail': '#1b1d21',
    '--cf-differs-back': '#46340f',
  },
});

function named(tones: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tones).map(([tone, colour]) => [`--cf-${tone}`, colour]));
}
