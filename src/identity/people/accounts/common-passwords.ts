/**
 * Words, names and runs of keys that lists of leaked passwords are made of. Passwords that hold nothing else are guessed first, however
 * long they are.
 */
export const COMMON_PARTS: ReadonlySet<string> = new Set(
  `
  password passwort passw0rd pass passwd pwd parola contrasena senha motdepasse wachtwoord haslo geheim secret
  admin administrator root superuser user username guest login signin account master default system manager
  welcome willkommen bienvenue hello hallo letmein openup open sesame changeme change temp temporary test testing tester demo
  qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdf asdfgh asdfghjkl asdfasdf zxcvbnm zxcvbn zxcv yxcvbnm
  qwer wert erty qazwsx qazwsxedc qazxsw wsxedc edcrfv rfvtgb tgbyhn yhnujm qaz wsx edc zaq xsw zaqwsx
  abc abcd abcdef abcdefg abcdefgh abcdefghijkl xyz aaa bbb xxx zzz
  iloveyou ilove loveyou love lover lovely liebe amor forever babygirl baby sweetheart honey princess prince angel
  dragon monkey tiger lion eagle panther wolf bear cat dog puppy kitten pussycat horse dolphin butterfly unicorn
  football fussball soccer baseball basketball hockey golf tennis chelsea arsenal liverpool barcelona juventus bayern
  superman batman spiderman pokemon pikachu naruto starwars matrix hunter ranger killer ninja warrior knight wizard
  michael jordan jennifer jessica ashley michelle daniel thomas robert charlie andrew joshua matthew nicole amanda george
  summer sommer winter spring autumn herbst sunshine sunny flower rainbow shadow silver golden diamond cookie chocolate
  january february march april may june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday
  computer internet samsung google facebook microsoft windows linux apple iphone android amazon twitter instagram
  company business office server database service access security private public office house family friend friends
  money dollar million lucky happy smile freedom trust whatever nothing anything something everything qwe asd zxc
  posthorn webhook webhooks event events message messages dashboard
  correct battery staple please thanks thankyou fuckyou fuck shit asshole mustang ferrari porsche mercedes harley corvette
  the and for you are not this that my your our is me i a in on to it
  `
    .trim()
    .split(/\s+/),
);
