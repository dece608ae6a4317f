/** The first day of the week in a locale; Monday if the browser does not know. */
export function weekStartOf(locale: string): number {
  const weeks = new Intl.Locale(locale) as { getWeekInfo?: () => { firstDay: number } };
  return weeks.getWeekInfo?.().firstDay ?? 1;
}
