package dev.rlm.sinks.redaction;

import static dev.rlm.sinks.redaction.Rule.context;

import java.util.List;

/** Passwords, as people and programs write them: told by a name, a command or a statement. docs/redaction.md lists them. */
final class Passwords {
    private static final String QUOTE = Contexts.QUOTE;
    private static final String SPACE = Contexts.SPACE;
    private static final String GAP = "(?:\\s|%20|\\+|\\\\+[nrt])";
    private static final String EQUALS = "(?:=|%3[dD])";
    private static final String NAMES = "(?i:passwords?|passwd|passphrase|passcode|pwd)(?i:" + Contexts.END + ")";
    private static final String[] NAMED = {"password", "passwd", "passphrase", "passcode", "pwd"};

    // A value in quotes, and one without, which ends where code, a shell or an address goes on.
    private static final String QUOTED =
            "[bfru]?" + QUOTE + "((?:[^\"'`\\s\\\\%]|%[013-9a-fA-F]|%2[^27]|\\\\+/){8,})(?:" + QUOTE + "|\\z)";
    private static final String BARE = "((?:[^\\s\"'`<>(){}\\[\\],;&\\\\%|]|%[013-9a-fA-F]|%2[^0267cC]){8,})"
            + "(?:[\\s\"'`<>,;&\\\\|)\\]}%]|\\z)";
    private static final String ANY = "([^\\s\"'`<>\\\\]{6,128})";

    private Passwords() {}

    static List<Rule> all() {
        return List.of(
                context("password", NAMES + quoted(), NAMED).where(Plausible::isPassword),
                context("password", NAMES + bare(), NAMED)
                        .at(Contexts::isAssigned)
                        .where(Plausible::isBarePassword),
                context("password", "(?i:pass)" + quoted(), "pass\"", "pass'", "pass\\", "pass=", "pass:", "pass ")
                        .at(Passwords::isPass)
                        .where(Plausible::isPassword),
                context(
                                "password",
                                "(?:(?i:pass)(?:" + EQUALS + "|\"?" + SPACE + "{0,3}=" + SPACE + "{0,3})|pass:"
                                        + SPACE + "{0,3}|PASS(?:\\s|\\\\+[nr]){1,3}[Vv]alue:" + SPACE + ")" + QUOTE
                                        + "?" + BARE,
                                "pass=",
                                "pass:",
                                "pass =",
                                "pass%3D")
                        .at(Passwords::isPass)
                        .where(Plausible::isBarePassword),
                context(
                                "password",
                                "(?:PASSWORD|PASSWD|PASSPHRASE|PWD|PASS)(?:=|%3[dD])([A-Za-z0-9_\\-+/.~!@#$^*]{12,}(?:=|%3[dD]){0,2})",
                                "password=",
                                "passwd=",
                                "passphrase=",
                                "pwd=",
                                "pass=",
                                "password%3D")
                        .where(value -> Plausible.isCredential(value) && !value.startsWith("/")),
                context(
                                "password",
                                "_(?:PASSWORD|PASSWD|PASS|PWD)" + SPACE + "{1,4}" + QUOTE + "?" + BARE,
                                "_PASSWORD ",
                                "_PASSWD ",
                                "_PASS ",
                                "_PWD ")
                        .where(Plausible::isBarePassword),
                context(
                                "password",
                                "(?i:(?:wpa-)?psk|requirepass|masterauth|wpa_passphrase \\S{1,64})(?:" + QUOTE + "?"
                                        + SPACE + "{0,3}[=:]" + SPACE + "{0,3}|" + SPACE + "{1,3})" + QUOTE + "?"
                                        + BARE,
                                "psk=",
                                "psk\"",
                                "psk'",
                                "psk:",
                                "psk =",
                                "wpa-psk ",
                                "requirepass ",
                                "masterauth ",
                                "wpa_passphrase ")
                        .separately()
                        .where(Plausible::isBarePassword),
                context(
                                "password",
                                "--(?i:[a-z]{0,8}-?password|passwd|passphrase|token|api-key|secret)(?:=|\\s+)" + QUOTE
                                        + "?([A-Za-z0-9_\\-+/.~!@#^*$%&]{8,})",
                                "--password",
                                "--passwd",
                                "--passphrase",
                                "--http-password",
                                "--ftp-password",
                                "--db-password",
                                "--token",
                                "--api-key",
                                "--secret")
                        .where(Plausible::isPassword),
                statement(),
                command(),
                piped(),
                userAndPassword(),
                connection(),
                netrc(),
                context("password", ":(?:5432|\\*):[^:\\s]{1,64}:[^:\\s]{1,64}:" + ANY, ":5432:", ":*:")
                        .where(Plausible::isPassword),
                context("password", "jdbc:oracle:thin:[^\\s/:@]{1,64}/" + "([^\\s@/\"']{6,64})@", "jdbc:oracle:thin:")
                        .where(Plausible::isCredential));
    }

    /** Assigned or given to a call in quotes, in the next attribute or element of XML, in SQL. */
    private static String quoted() {
        return "(?:" + Contexts.ASSIGNED + QUOTED
                + "|" + QUOTE + "?" + SPACE + "?[(,]" + SPACE + "?" + QUOTED
                + "|" + SPACE + "{1,3}(?:is:? )?" + QUOTED
                + "|" + QUOTE + "?(?:,?" + GAP + "{0,16})" + QUOTE + "?(?i:value)" + QUOTE + "?" + SPACE + "?[:=]"
                + SPACE
                + "?" + QUOTED
                + "|" + QUOTE + "?>(?:<!\\[CDATA\\[)?([^<>\\s&\\[\\]]{8,128})(?:]]>)?<)";
    }

    /** Assigned without quotes: in properties, YAML, settings of a connection; in the next line of YAML. */
    private static String bare() {
        return "(?:" + QUOTE + "?\\]?(?:" + SPACE + "{0,4}" + EQUALS + SPACE + "{0,4}|" + SPACE + "{0,2}:" + SPACE
                + "{1,4})" + QUOTE + "?" + BARE
                + "|" + QUOTE + "?" + GAP + "{1,16}value:" + SPACE + "{0,3}" + QUOTE + "?" + BARE + ")";
    }

    /** Of a name that ends there: none that bypasses, and no compass. */
    private static boolean isPass(String text, int keyword) {
        return keyword == 0
                || !Character.isLetter(text.charAt(keyword - 1))
                || Escapes.isStartOfWord(text, keyword)
                || (Character.isUpperCase(text.charAt(keyword)) && Character.isLowerCase(text.charAt(keyword - 1)))
                || isNamedPass(text, keyword);
    }

    private static boolean isNamedPass(String text, int keyword) {
        return List.of("db", "ssh", "smtp", "mail", "pg", "root", "user", "admin", "my", "http").stream()
                .anyMatch(name -> text.regionMatches(true, keyword - name.length(), name, 0, name.length()));
    }

    private static Rule statement() {
        return context(
                        "password",
                        "(?i:identified(?: with [\\w'\"`\\\\]{1,40})? by (?:password )?" + QUOTE + "?" + ANY
                                + "|securestring(?: +-string)? +" + QUOTE + ANY + ")",
                        "identified by ",
                        "identified with ",
                        "SecureString ")
                .where(Plausible::isCredential);
    }

    /** Behind an option of a command that takes it. */
    private static Rule command() {
        String rest = "[^\\n|;&]{0,160}?";
        return context(
                        "password",
                        "(?:sshpass -p ?|(?:docker|podman|helm registry|nerdctl) login" + rest
                                + " -p |(?:mysql|mariadb)(?:dump|admin|import|sh)?" + rest
                                + " -p|redis-cli" + rest + " -a |ldap(?:search|add|modify|passwd|whoami)" + rest
                                + " -w |htpasswd -[a-zA-Z]*b[a-zA-Z]*" + rest + " \\S{1,64} |net user \\S{1,64} )"
                                + QUOTE
                                + "?" + ANY,
                        "sshpass -p",
                        "docker login",
                        "podman login",
                        "helm registry login",
                        "mysql ",
                        "mysqldump ",
                        "mysqladmin ",
                        "mariadb ",
                        "redis-cli ",
                        "ldapsearch ",
                        "ldapadd ",
                        "ldapmodify ",
                        "ldapwhoami ",
                        "htpasswd -",
                        "net user ")
                .separately()
                .where(Plausible::isCredential);
    }

    /** Given to a command through a pipe, or in the lines behind it. */
    private static Rule piped() {
        return context(
                        "password",
                        "(?:[^\\n]{0,200}?(?:echo|printf)(?: -[neE]{1,3})? +" + QUOTE + "?(?:[^\\s:\"'|]{1,64}:)?" + ANY
                                + QUOTE
                                + "?(?:\\\\n" + QUOTE + "?)? *\\| *[^|\\n]{0,80}?)?"
                                + "(?i:chpasswd|-stdin|sudo -S)(?:[^\\n<|]{0,24}<<-?<?\\s?" + QUOTE
                                + "?(?:\\w{1,16}" + QUOTE + "?(?:\\n|\\\\n))?[^\\s:]{1,64}:" + ANY + ")?",
                        "chpasswd",
                        "-stdin",
                        "sudo -S")
                .behind(c -> c != '\n', 200)
                .where(Plausible::isCredential);
    }

    /** Of curl and its kin. */
    private static Rule userAndPassword() {
        return context(
                        "password",
                        "(?:-u ?|--(?:proxy-)?user[ =]|-U )" + QUOTE
                                + "?[^\\s:\"'/%]{1,64}[:%]([^\\s\"'@/\\\\]{6,128})(?:[" + "\\s\"'\\\\]|\\z)",
                        "-u ",
                        "-u\"",
                        "-u'",
                        "--user ",
                        "--user=",
                        "--proxy-user ",
                        "-U ")
                .at((text, keyword) -> keyword == 0 || !Escapes.isAlphanumeric(text.charAt(keyword - 1)))
                .where(Plausible::isPassword);
    }

    private static Rule connection() {
        return context(
                        "connection-password",
                        "(?:;|%3[bB])" + SPACE + "?(?i:password|pwd)" + SPACE + "?" + EQUALS + SPACE
                                + "?((?:[^;\\s\"'&\\\\%]|%[^3]){6,128})",
                        ";Password",
                        "%3BPassword",
                        ";Pwd",
                        "%3BPwd",
                        "; password",
                        "; pwd",
                        ";+password",
                        ";%20password")
                .where(Plausible::isPassword)
                .named();
    }

    private static Rule netrc() {
        return context(
                        "netrc-password",
                        "(?i:login)" + GAP + "+(?:[^\\s%+\\\\]|%2[1-9a-fA-F]|%[013-9a-fA-F].){1,128}" + GAP
                                + "+(?i:password)" + GAP + "+([^\\s\"'\\\\<>]{6,})",
                        "login ",
                        "login+",
                        "login%20",
                        "login\n",
                        "login\\n")
                .where(Plausible::isCredential);
    }
}
