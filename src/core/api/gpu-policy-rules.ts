import type { TextRule } from './crd-field.ts'

const listOf = (part: string): string => `${part}(,${part})*`

/**
 * `20%`, `"0.2"`, `20`: see `parseHeadroom`. At most 120 characters: the API server prices a rule on an int-or-string by the
 * longest text that a request can hold.
 */
export const headroomRule: TextRule = {
  pattern: '^(([0-4]?[0-9]{1,2}([.][0-9]+)?|500) ?%|0?[.][0-9]+|0|[2-9]|[1-9][0-9]|[1-4][0-9]{2}|500)$',
  maxLength: 16,
  message:
    'must be a percentage from 0% to 500% such as "20%", a whole number of percent from 2 such as 20, or a fraction below 1 written as a string such as "0.2"'
}

/** `0.8` or `80%`: see `parseBusyAbove`. */
export const busyAboveRule: TextRule = {
  pattern: '^(0|0?[.][0-9]{1,6}|([0-9]{1,2}([.][0-9]{1,6})?|100([.]0{1,6})?) ?%)$',
  maxLength: 16,
  message: 'must be a fraction below 1 such as "0.8", or a percentage up to 100% such as "80%"'
}

/** `1g.10gb`, `mig-1g.10gb`, `nvidia.com/mig-1g.10gb.me`: see `parseProfileList`. */
export const profileRule: TextRule = {
  pattern:
    '^ *(nvidia[.]com/mig-|mig-)?[1-9][0-9]?[gG][.][1-9][0-9]{0,3}[gG][bB]([+.][gG][fF][xX])?([+.][mM][eE]([.][aA][lL][lL])?|-[mM][eE])? *$',
  maxLength: 64,
  message:
    "must be the name of a MIG profile such as 1g.10gb, not a layout, a count or a cloud provider's name"
}

/** `13d22h`, `720h`, `1h30m`: see `parseDuration`. */
export const durationRule: TextRule = {
  pattern:
    '^([0-9]{1,6}d([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?|[0-9]{1,6}h([0-9]{1,6}m)?([0-9]{1,6}s)?|[0-9]{1,6}m([0-9]{1,6}s)?|[0-9]{1,6}s)$',
  maxLength: 32,
  message: 'must be a duration of whole days, hours, minutes and seconds, such as 14d, 720h or 1h30m'
}

const zone = 'UTC|[A-Za-z_]+(/[A-Za-z0-9_+-]+)+'

/** `UTC` or a region's name of the IANA time zone database. */
export const timeZoneRule: TextRule = {
  pattern: `^(${zone})$`,
  maxLength: 64,
  message: 'must be UTC or an IANA time zone such as Europe/Berlin; abbreviations and offsets are not taken'
}

const day = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const clock = '([01][0-9]|2[0-3]):[0-5][0-9]'

/** `Sat 02:00-06:00 UTC`: see `parseWindow`. */
export const windowRule: TextRule = {
  pattern: `^(Daily|${listOf(`${day}(-${day})?`)}) ${clock}-(${clock}|24:00) (${zone})$`,
  maxLength: 160,
  message:
    'must be DAYS HH:MM-HH:MM ZONE, such as "Sat 02:00-06:00 UTC"; DAYS is Daily, or days and ranges such as Mon-Fri or Sat,Sun; ZONE is UTC or an IANA time zone'
}

const cronField = (value: string): string => listOf(`([*]|${value}(-${value})?)(/[1-9][0-9]?)?`)

/** `0 22 * * 1-5`: minute, hour, day of month, month, day of week; see `parseCron`. */
export const scheduleRule: TextRule = {
  pattern: `^${[
    '[0-5]?[0-9]',
    '([01]?[0-9]|2[0-3])',
    '(0?[1-9]|[12][0-9]|3[01])',
    '(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)',
    '([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)'
  ]
    .map(cronField)
    .join(' ')}$`,
  maxLength: 128,
  message:
    'must be five fields of cron: minute, hour, day of month, month and day of week, such as "0 22 * * 1-5", with at most 24 openings a day'
}

/** `1`, `"10%"`: how many nodes may change at once. */
export const budgetRule: TextRule = {
  pattern: '^([0-9]{1,5}|(100|[1-9]?[0-9])%)$',
  maxLength: 8,
  message: 'must be a number of nodes such as "1", or a share of the policy\'s nodes up to 100% such as "10%"'
}

/** `3.00`: an amount of money. */
export const priceRule: TextRule = {
  pattern: '^[0-9]{1,7}([.][0-9]{1,4})?$',
  maxLength: 16,
  message: 'must be an amount of money such as "3.00"'
}
