package dev.rlm.sinks.redaction;

import static dev.rlm.sinks.redaction.Rule.context;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Secrets that are told by what stands before them: a header, a name, an address. docs/redaction.md lists them. */
final class Contexts {
    static final String QUOTE = "(?:\\\\*[\"'`]|%2[27])";
    static final String SPACE = "(?:[ \\t]|%20|\\+|\\\\t)";
    private static final String IS = "(?:=>|:=|[:=]|%3[aAdD])";
    static final String ASSIGNED = QUOTE + "?\\]?" + SPACE + "{0,4}" + IS + SPACE + "{0,4}";
    private static final String TOKEN = "(?:[A-Za-z0-9._~/\\-]|\\\\+/|%2[bBfF]|\\+)";
    private static final String PADDING = "(?:=|%3[dD]){0,2}";
    private static final int MAX_USER = 64;
    private static final int MAX_NAME = 24;
    private static final int MAX_SIGNS = 12;
    private static final int MIN_VALUE = 8;
    private static final int ESCAPE = 3; // characters of one in an address
    private static final List<String> CURSORS = List.of(
            "page",
            "next",
            "prev",
            "cursor",
            "continu",
            "sync",
            "resum",
            "scroll",
            "pad",
            "eos",
            "bos",
            "design",
            "public",
            "publishable",
            "csrf",
            "xsrf",
            "request",
            "idempoten");

    // A name ends so: behind it a value follows, and no type, path or address of it.
    static final String END = "(?:s|_?\\d{1,3}|[_.-]?(?:key|base|value|live|prod|test|dev|default)){0,2}";

    private Contexts() {}

    static List<Rule> all(Set<PersonalData> personal) {
        List<Rule> all = new ArrayList<>();
        all.addAll(headers());
        all.addAll(addresses());
        all.addAll(clouds());
        all.addAll(assignments());
        all.addAll(Passwords.all());
        if (personal.contains(PersonalData.EMAIL)) {
            all.add(email());
        }
        return all;
    }

    private static List<Rule> headers() {
        String scheme =
                "(?i:(?:bearer|token|apikey|api-key|api-token|digest|negotiate|key|splunk|bot|oauth|jwt|ssws|dpop|geniekey|"
                        + "client-id|sso-key|hmac)" + SPACE + "{1,3})";
        String authorization =
                "(?i:authorization)(?:" + ASSIGNED + "|" + QUOTE + "," + SPACE + "{0,2})\\[?" + QUOTE + "?";
        String parameter = "[A-Za-z][\\w\\-]{0,32}=" + QUOTE + "?[^\\s\"'`,\\\\]{1,}" + QUOTE + "?";
        return List.of(
                context("bearer", "(?i:bearer)" + SPACE + "{1,3}(" + TOKEN + "{16,}" + PADDING + ")", "bearer")
                        .where(Plausible::isKey),
                context(
                                "basic-auth",
                                "(?i:basic)" + SPACE + "{1,3}((?:[A-Za-z0-9+/_\\-]|\\\\+/|%2[bBfF]){8,}" + PADDING
                                        + ")",
                                "basic")
                        .where(Plausible::isBasic),
                context("authorization", authorization + scheme + "(" + TOKEN + "{8,}" + PADDING + ")", "authorization")
                        .where(value -> Plausible.isCredential(value) && !Plausible.isCall(value)),
                context("authorization", authorization + "(" + TOKEN + "{8,}" + PADDING + ")", "authorization")
                        .where(value -> Plausible.isKey(value) && !Plausible.isCall(value)),
                context(
                                "authorization",
                                authorization + "(?:[A-Za-z][\\w\\-]{1,30}" + SPACE + "{1,3})?(" + parameter + "(?:,?"
                                        + SPACE + "{0,2}" + parameter + "){0,30})",
                                "authorization")
                        .where(Plausible::isAnyCredential),
                context(
                                "authorization",
                                authorization + "[A-Za-z][\\w\\-]{1,30}" + SPACE + "{1,3}((?:" + TOKEN + "|[:!@|]){12,}"
                                        + PADDING + ")",
                                "authorization")
                        .where(Plausible::isAnyCredential),
                context(
                                "cookie",
                                "(?i:cookie)" + QUOTE + "?" + SPACE + "{0,2}" + IS + SPACE + "{0,2}" + QUOTE
                                        + "?([^\"'\\\\\\s<>;]{2,}(?:;(?: |%20|\\+)?[^\"'\\\\\\s<>;]{2,}){0,60})",
                                "cookie")
                        .where(Plausible::isCookie)
                        .onceInALine(),
                context(
                                "api-key",
                                "(?i:[a-z\\-]{3,12}" + ASSIGNED + QUOTE + "?)(" + TOKEN + "{12,}" + PADDING + ")",
                                "api-key:",
                                "api-key\"",
                                "api-key'",
                                "api-key\\",
                                "api-key%3A",
                                "auth-token:",
                                "auth-token\"",
                                "access-token:",
                                "access-token\"",
                                "auth-key:",
                                "subscription-key:",
                                "functions-key:",
                                "circle-token:",
                                "job-token:",
                                "vault-token:",
                                "api-token:",
                                "auth-token'",
                                "access-token'",
                                "private-token:",
                                "private-token\"")
                        .where(Plausible::isKey)
                        .named());
    }

    private static List<Rule> addresses() {
        String host = "(?:\\\\*/|%2[fF]){2}";
        String user = "(?:[^\\s/@:\"'<>%\\\\]|%(?:2[0-9a-eA-E]|3[0-9]|[014-9a-fA-F][0-9a-fA-F])){0,128}";
        String parameter = "(?:[A-Za-z0-9._~+/\\-]|%(?:25)?2[bBfF])";
        String named = "(?i:[?&;]|%3[fF]|%26|\\\\u0026)?(?i:[a-z_\\-]{3,24})(?:=|%3[dD])(" + parameter + "{8,}"
                + PADDING + ")";
        return List.of(
                context(
                                "url-password",
                                ":" + host + user + "?(?::|%3[aA])([^\\s/\"'<>]{4,256}?)(?:@|%40)[A-Za-z0-9\\[]",
                                "://",
                                ":\\/\\/",
                                ":\\\\\\/\\\\\\/")
                        .where(Contexts::isPassword),
                context(
                                "url-password",
                                "%3[aA]" + host + user
                                        + "?%3[aA]((?:[^\\s/\"'<>%]|%(?:2[0-9a-eA-E]|3[0-9]|[0135-9a-fA-F][0-9a-fA-F]|4[1-9a-fA-F])){4,256})%40[A-Za-z0-9\\[]",
                                "%3A%2F%2F")
                        .where(Contexts::isPassword),
                context(
                                "url-password",
                                "(?::|%3[aA])" + host
                                        + "([A-Za-z0-9_\\-]{16,256})(?:(?::|%3[aA])x-oauth-basic)?(?:@|%40)[A-Za-z0-9]",
                                "://",
                                ":\\/\\/",
                                ":\\\\\\/\\\\\\/",
                                "%3A%2F%2F")
                        .where(Plausible::isRandom),
                context(
                                "url-parameter",
                                named,
                                "access_token=",
                                "api_key=",
                                "apikey=",
                                "auth_token=",
                                "client_secret=",
                                "refresh_token=",
                                "id_token=",
                                "api-key=",
                                "access_key=",
                                "secret_key=",
                                "access_token%3D",
                                "api_key%3D",
                                "apikey%3D",
                                "auth_token%3D",
                                "client_secret%3D",
                                "refresh_token%3D",
                                "id_token%3D",
                                "api-key%3D",
                                "access_key%3D",
                                "secret_key%3D")
                        .where(Plausible::isKey),
                context(
                                "url-parameter",
                                "(?:[?&]|%3[fF]|%26)(?i:key|token|sig|signature|secret|auth|x-amz-signature|x-amz-security-token)(?:=|%3[dD])("
                                        + parameter + "{8,}" + PADDING + ")",
                                "?key=",
                                "&key=",
                                "?token=",
                                "&token=",
                                "?sig=",
                                "&sig=",
                                "?signature=",
                                "&signature=",
                                "?secret=",
                                "&secret=",
                                "?auth=",
                                "&auth=",
                                "&x-amz-signature=",
                                "&x-amz-security-token=",
                                "%3Fkey%3D",
                                "%26key%3D",
                                "%3Ftoken%3D",
                                "%26token%3D",
                                "%3Fsig%3D",
                                "%26sig%3D",
                                "%3Fsignature%3D",
                                "%26signature%3D",
                                "%3Fsecret%3D",
                                "%26secret%3D",
                                "%3Fauth%3D",
                                "%26auth%3D",
                                "%26x-amz-signature%3D",
                                "%26x-amz-security-token%3D")
                        .where(Plausible::isStrong));
    }

    private static boolean isPassword(String value) {
        return !Plausible.isExample(value)
                && !List.of("password", "passwd", "pass", "secret").contains(value);
    }

    private static List<Rule> clouds() {
        String base64 = "(?:[A-Za-z0-9+/]|\\\\+/|%2[bBfF])";
        return Stream.of(
                        context(
                                        "aws-secret",
                                        "(?i:secret[_ ]?access[_ ]?key(?: \\[[^\\]]{1,24}])?|aws_?secret(?:_?key)?|secret[_-]?key)"
                                                + ASSIGNED + QUOTE + "?(" + base64 + "{40})(?:[^A-Za-z0-9+/=]|\\z)",
                                        "secret_access_key",
                                        "secretAccessKey",
                                        "SecretAccessKey",
                                        "aws_secret",
                                        "awssecret",
                                        "secret access key",
                                        "secret_key",
                                        "secret-key",
                                        "secretKey")
                                .where(Plausible::isKey),
                        context(
                                "aws-secret",
                                "(?i:session_?token)" + ASSIGNED + QUOTE + "?(" + base64 + "{100,}" + PADDING + ")",
                                "session_token",
                                "sessionToken",
                                "SessionToken"),
                        context(
                                "azure-key",
                                "(?i:account|sharedaccess|storage)(?i:_?key)(?:" + ASSIGNED + "|" + SPACE + ")" + QUOTE
                                        + "?(" + base64 + "{40,}" + PADDING + ")",
                                "AccountKey",
                                "account_key",
                                "storage_key",
                                "SharedAccessKey"),
                        context(
                                        "azure-sas",
                                        "(?i:sig)(?:=|%3[dD])((?:[A-Za-z0-9+/]|%(?:25)?2[bBfF]){40,}(?:=|%(?:25)?3[dD]){0,2})",
                                        "sig=",
                                        "sig%3D")
                                .separately()
                                .where(Plausible::isKey),
                        context(
                                "wandb-key",
                                "(?i:wandb)[\\w.]{0,24}" + ASSIGNED + QUOTE + "?([0-9a-f]{40})\\b",
                                "wandb"),
                        context(
                                "twilio-secret",
                                "(?i:twilio)[\\w.]{0,24}" + ASSIGNED + QUOTE + "?([0-9a-f]{32})\\b",
                                "twilio"))
                .map(Rule::named)
                .toList();
    }

    /** Assigned in quotes; without them where the name is in capitals, or the value can be nothing else. */
    private static List<Rule> assignments() {
        String names =
                "(?i:secret|token|api[_-]?key|(?:access|private)_?key|(?:auth|encryption|signing|license|webhook|shared)_key|credential)(?i:"
                        + END + ")";
        String quoted =
                "[bfru]?" + QUOTE + "((?:[^\"'`\\s\\\\%]|%[013-9a-fA-F]|%2[^27]|\\\\+/){8,})(?:" + QUOTE + "|\\z)";
        String plain = "([A-Za-z0-9_\\-+/.~!@#$^*]{12,}" + PADDING + ")";
        String inNext =
                QUOTE + "?,?(?:\\s|\\\\+[nrt]){0,16}" + QUOTE + "?value" + QUOTE + "?" + SPACE + "?[:=]" + SPACE + "?";
        String bare = QUOTE + "?\\]?" + SPACE + "{0,4}(?:=|%3[dD]|:)" + SPACE + "{0,4}" + QUOTE + "?" + plain;
        String[] keys = {
            "secret",
            "token",
            "api_key",
            "apiKey",
            "api-key",
            "access_key",
            "accessKey",
            "private_key",
            "privateKey",
            "auth_key",
            "credential",
            "encryption_key",
            "signing_key",
            "license_key",
            "webhook_key",
            "shared_key"
        };
        return List.of(
                context(
                                "secret",
                                names + "(?:" + ASSIGNED + "|" + QUOTE + "?[(,]" + SPACE + "?|" + inNext + ")" + quoted,
                                keys)
                        .at(Contexts::isNoCursor)
                        .where(Plausible::isKey),
                context("secret", names + bare, keys)
                        .at((text, keyword) -> isAssigned(text, keyword) && isNoCursor(text, keyword))
                        .where(Plausible::isStrong),
                context(
                                "secret",
                                "_?(?:SECRET|TOKEN|API_KEY|APIKEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|KEY|PAT|AUTH)(?:=|%3[dD]|"
                                        + SPACE + "{1,3})" + QUOTE + "?" + plain,
                                "secret=",
                                "token=",
                                "api_key=",
                                "apikey=",
                                "access_key=",
                                "private_key=",
                                "secret_key=",
                                "_key=",
                                "_pat=",
                                "_auth=",
                                "_secret ",
                                "_token ",
                                "_key ",
                                "token%3D",
                                "api_key%3D",
                                "secret%3D")
                        .at(Contexts::isNoCursor)
                        .where(Plausible::isRandom),
                context(
                                "npm-token",
                                "_auth(?:[tT]oken)?" + SPACE + "{0,2}=" + SPACE + "{0,2}" + QUOTE
                                        + "?([A-Za-z0-9_\\-+/.~]{12,}={0,2})",
                                "_auth=",
                                "_auth =",
                                "_authToken")
                        .where(value -> Plausible.isKey(value) && !Plausible.isCall(value)),
                context(
                                "wireguard-key",
                                "(?i:private_?key|preshared_?key)" + ASSIGNED + QUOTE
                                        + "?((?:[A-Za-z0-9+/]|%2[bBfF]|\\\\+/){43}(?:=|%3[dD]))",
                                "privatekey",
                                "private_key",
                                "presharedkey",
                                "preshared_key")
                        .where(Plausible::isKey)
                        .named());
    }

    /** Whether something long follows the name and a few signs: tells in little time what is worth more. */
    static boolean isAssigned(String text, int keyword) {
        int at = keyword;
        while (at < text.length() && at - keyword < MAX_NAME && isNamePart(text.charAt(at))) {
            at++;
        }
        if (isValueAt(text, at)) {
            return true; // in an element or a line of its own
        }
        int signs = 0;
        while (at < text.length() && signs < MAX_SIGNS && " \t\r\n:=\"'`\\]%-".indexOf(text.charAt(at)) >= 0) {
            at += text.charAt(at) == '%' ? ESCAPE : 1;
            signs++;
        }
        int end = at;
        while (signs > 0
                && end < text.length()
                && end - at < MIN_VALUE
                && " \t\n\"',;&<>(){}".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return end - at == MIN_VALUE;
    }

    private static boolean isValueAt(String text, int index) {
        for (int at = index + 1; at <= index + MAX_NAME; at++) {
            if (text.startsWith("value", at)) {
                return true;
            }
        }
        return false;
    }

    /** The name before the keyword does not say that it leads on in a list, or stands in a vocabulary. */
    private static boolean isNoCursor(String text, int keyword) {
        int from = keyword;
        while (from > 0 && keyword - from < MAX_NAME && isNamePart(text.charAt(from - 1))) {
            from--;
        }
        String name = text.substring(from, keyword).toLowerCase(Locale.ROOT);
        return CURSORS.stream().noneMatch(name::contains);
    }

    private static boolean isNamePart(char c) {
        return Escapes.isAlphanumeric(c) || c == '_' || c == '-';
    }

    /** Only where it is asked for. */
    private static Rule email() {
        return context(
                        PersonalData.EMAIL.kind(),
                        "[\\w.%+\\-]{1,64}(?:@|%40)[A-Za-z0-9\\-]{1,63}(?:\\.[A-Za-z0-9\\-]{1,63}){0,8}\\.[A-Za-z]{2,24}",
                        "@",
                        "%40")
                .behind(c -> Escapes.isAlphanumeric(c) || "._+-%".indexOf(c) >= 0, MAX_USER);
    }
}
