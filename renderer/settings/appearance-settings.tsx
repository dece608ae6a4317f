// Appearance and language, for this browser only.

import { SegmentedControl, Select, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Setting } from '../components/setting-row.tsx';
import { chooseLanguage, languageName, LANGUAGES } from '../locales/words.ts';
import type { Words } from './store-settings.tsx';

const SCHEMES = ['auto', 'light', 'dark'] as const;

export function appearanceSettings(t: Words): readonly Setting[] {
  return [
    { id: 'scheme', title: t('scheme'), help: t('schemeHelp'), control: <Scheme /> },
    { id: 'language', title: t('language'), help: t('languageHelp'), control: <Language /> },
  ];
}

function Scheme() {
  const { t } = useTranslation('settings');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="md"
      aria-label={t('scheme')}
      data={SCHEMES.map((scheme) => ({ value: scheme, label: t(scheme) }))}
      value={colorScheme}
      onChange={setColorScheme}
    />
  );
}

function Language() {
  const { t, i18n } = useTranslation('settings');
  return (
    <Select
      aria-label={t('language')}
      data={LANGUAGES.map((language) => ({ value: language, label: languageName(language) }))}
      value={i18n.language}
      onChange={(language) => language !== null && chooseLanguage(language)}
      allowDeselect={false}
      maw={240}
    />
  );
}
