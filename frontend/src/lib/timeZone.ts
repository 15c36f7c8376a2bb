/** The name of the browser's time zone in the IANA database. */
export const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
