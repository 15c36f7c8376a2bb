import { i18n } from '../i18n';

const codes =
  'AF AX AL DZ AS AD AO AI AG AR AM AW AU AT AZ BS BH BD BB BY BE BZ BJ BM BT BO BQ BA BW BR BN BG BF BI KH CM CA CV KY CF TD CL CN CO KM CG CD CK CR CI HR CU CW CY CZ DK DJ DM DO EC EG SV GQ ER EE SZ ET FK FO FJ FI FR GF PF GA GM GE DE GH GI GR GL GD GP GU GT GG GN GW GY HT HN HK HU IS IN ID IR IQ IE IM IL IT JM JP JE JO KZ KE KI KP KR KW KG LA LV LB LS LR LY LI LT LU MO MG MW MY MV ML MT MH MQ MR MU YT MX FM MD MC MN ME MS MA MZ MM NA NR NP NL NC NZ NI NE NG NU MK NO OM PK PW PS PA PG PY PE PH PL PT PR QA RE RO RU RW KN LC MF PM VC WS SM ST SA SN RS SC SL SG SX SK SI SB SO ZA SS ES LK SD SR SE CH SY TW TJ TZ TH TL TG TO TT TN TR TM TC TV UG UA AE GB US UY UZ VU VE VN VG YE ZM ZW';

/**
 * Returns the names of the countries in the person's language, as suggestions; the field accepts any other text too.
 */
export function countryNames(): string[] {
  const names = new Intl.DisplayNames(i18n.resolvedLanguage ?? 'en', { type: 'region' });
  return codes
    .split(' ')
    .map((code) => names.of(code) ?? code)
    .sort((a, b) => a.localeCompare(b));
}
