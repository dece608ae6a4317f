// The words of the page /trust in each language of the console.

export interface TrustTexts {
  readonly title: string;
  /** Shown when the gateway has no authority of its own. */
  readonly none: string;
  readonly intro: string;
  /** Shown before the links that download the certificate. */
  readonly download: string;
  /** Shown before the commands that print the fingerprint. */
  readonly compare: string;
  readonly install: string;
  readonly systems: string;
  readonly programs: string;
  readonly asAdministrator: string;
  readonly android: string;
  readonly ios: string;
}

export const TRUST_TEXTS = {
  en: {
    title: 'Trust this gateway',
    none: 'This gateway has no certificate authority of its own. Tills use plain HTTP, or the shop’s own certificate. If a till does not trust that certificate, install the certificate of its issuer.',
    intro: 'A till must trust this certificate before it can send sales over HTTPS.',
    download: 'Download the certificate at the till:',
    compare:
      'Compare the fingerprint (SHA-256) of the file with the one on the till’s card or in the console. If they differ, stop.',
    install: 'Install the certificate for the whole system, or name its file in the till’s program.',
    systems: 'For the whole system',
    programs: 'In a program',
    asAdministrator: 'In a window with administrator rights.',
    android:
      'Settings › Security › More security settings › Encryption & credentials › Install a certificate › CA certificate. Most apps must also allow user certificates.',
    ios: 'Open the file and install the profile in Settings › General › VPN & Device Management. Then switch on full trust in Settings › General › About › Certificate Trust Settings.',
  },
  nl: {
    title: 'Deze gateway vertrouwen',
    none: 'Deze gateway heeft geen eigen certificeringsinstantie. Kassa’s gebruiken HTTP zonder beveiliging of het eigen certificaat van de winkel. Vertrouwt een kassa dat certificaat niet, installeer dan het certificaat van de uitgever.',
    intro: 'Een kassa moet dit certificaat vertrouwen voordat hij verkopen via HTTPS kan sturen.',
    download: 'Download het certificaat op de kassa:',
    compare:
      'Vergelijk de vingerafdruk (SHA-256) van het bestand met die op de kaart van de kassa of in de console. Stop als ze verschillen.',
    install: 'Installeer het certificaat voor het hele systeem, of noem het bestand in het programma van de kassa.',
    systems: 'Voor het hele systeem',
    programs: 'In een programma',
    asAdministrator: 'In een venster met beheerdersrechten.',
    android:
      'Instellingen › Beveiliging › Meer beveiligingsinstellingen › Versleuteling en inloggegevens › Een certificaat installeren › CA-certificaat. De meeste apps moeten certificaten van de gebruiker ook toestaan.',
    ios: 'Open het bestand en installeer het profiel via Instellingen › Algemeen › VPN en apparaatbeheer. Zet daarna volledig vertrouwen aan via Instellingen › Algemeen › Info › Vertrouwensinstellingen certificaten.',
  },
  de: {
    title: 'Diesem Gateway vertrauen',
    none: 'Dieses Gateway hat keine eigene Zertifizierungsstelle. Kassen verwenden HTTP ohne Verschlüsselung oder das eigene Zertifikat des Geschäfts. Vertraut eine Kasse diesem Zertifikat nicht, das Zertifikat seines Ausstellers installieren.',
    intro: 'Eine Kasse muss diesem Zertifikat vertrauen, bevor sie Verkäufe über HTTPS senden kann.',
    download: 'Das Zertifikat an der Kasse herunterladen:',
    compare:
      'Den Fingerabdruck (SHA-256) der Datei mit dem auf der Karte der Kasse oder in der Konsole vergleichen. Stimmen sie nicht überein, nicht weitermachen.',
    install: 'Das Zertifikat für das ganze System installieren oder die Datei im Programm der Kasse angeben.',
    systems: 'Für das ganze System',
    programs: 'In einem Programm',
    asAdministrator: 'In einem Fenster mit Administratorrechten.',
    android:
      'Einstellungen › Sicherheit › Weitere Sicherheitseinstellungen › Verschlüsselung & Anmeldedaten › Ein Zertifikat installieren › CA-Zertifikat. Die meisten Apps müssen Nutzerzertifikate zusätzlich erlauben.',
    ios: 'Die Datei öffnen und das Profil unter Einstellungen › Allgemein › VPN & Geräteverwaltung installieren. Danach unter Einstellungen › Allgemein › Info › Zertifikatsvertrauenseinstellungen volles Vertrauen einschalten.',
  },
} as const satisfies Record<string, TrustTexts>;

export type TrustLanguage = keyof typeof TRUST_TEXTS;

/** English is first, because it is the default for callers that ask for an unsupported language. */
export const TRUST_LANGUAGES: readonly TrustLanguage[] = ['en', 'nl', 'de'];
