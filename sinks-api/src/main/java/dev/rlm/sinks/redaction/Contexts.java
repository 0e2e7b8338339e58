package dev.rlm.sinks.redaction;

import static dev.rlm.sinks.redaction.Rule.context;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Secrets that are told by what stands before them: a header, a name, an address. docs/redaction.md lists them. */
final class Contexts {
    private static final String QUOTE = "(?:\\\\*[\"'`]|%2[27])";
    private static final String SPACE = "(?:[ \\t]|%20|\\+|\\\\t)";
    private static final String IS = "(?:=>|:=|[:=]|%3[aAdD])";
    private static final String ASSIGNED = QUOTE + "?\\]?" + SPACE + "{0,4}" + IS + SPACE + "{0,4}";
    private static final String TOKEN = "(?:[A-Za-z0-9._~/\\-]|\\\\+/|%2[bBfF]|\\+)";
    private static final String PADDING = "(?:=|%3[dD]){0,2}";
    private static final int MAX_USER = 64;

    // A name ends so: behind it a value follows, and no type, path or address of it.
    private static final String END = "(?:s|_?\\d{1,3}|[_.-]?(?:key|base|value|live|prod|test|dev|default)){0,2}";

    private Contexts() {}

    static List<Rule> all(Set<PersonalData> personal) {
        List<Rule> all = new ArrayList<>();
        all.addAll(headers());
        all.addAll(addresses());
        all.addAll(clouds());
        all.addAll(assignments());
        if (personal.contains(PersonalData.EMAIL)) {
            all.add(email());
        }
        return all;
    }

    private static List<Rule> headers() {
        String scheme = "(?:(?:bearer|token|apikey|api-key|digest|negotiate|key|splunk|bot)" + SPACE + "{1,3})?";
        return List.of(
                context("bearer", "(?i:bearer)" + SPACE + "{1,3}(" + TOKEN + "{16,}" + PADDING + ")", "bearer")
                        .where(Plausible::isKey),
                context(
                                "basic-auth",
                                "(?i:basic)" + SPACE + "{1,3}((?:[A-Za-z0-9+/_\\-]|\\\\+/|%2[bBfF]){8,}" + PADDING
                                        + ")",
                                "basic")
                        .where(Plausible::isBasic),
                context(
                                "authorization",
                                "(?i:authorization" + ASSIGNED + QUOTE + "?" + scheme + ")(" + TOKEN + "{8,}" + PADDING
                                        + ")",
                                "authorization")
                        .where(Plausible::isCredential),
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
                                "private-token:",
                                "private-token\"")
                        .where(Plausible::isKey));
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
                                "(?:[?&]|%3[fF]|%26)(?i:key|token|sig|signature|secret|password|auth|x-amz-signature|x-amz-security-token)(?:=|%3[dD])("
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
                                "?password=",
                                "&password=",
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
                                "%3Fpassword%3D",
                                "%26password%3D",
                                "%3Fauth%3D",
                                "%26auth%3D",
                                "%26x-amz-signature%3D",
                                "%26x-amz-security-token%3D")
                        .where(Plausible::isKey));
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
                                "(?i:secret_?access_?key|aws_?secret(?:_?key)?)" + ASSIGNED + QUOTE + "?(" + base64
                                        + "{40})(?:[^A-Za-z0-9+/=]|\\z)",
                                "secret_access_key",
                                "secretAccessKey",
                                "SecretAccessKey",
                                "aws_secret",
                                "awssecret"),
                        context(
                                "aws-secret",
                                "(?i:session_?token)" + ASSIGNED + QUOTE + "?(" + base64 + "{100,}" + PADDING + ")",
                                "session_token",
                                "sessionToken",
                                "SessionToken"),
                        context(
                                "azure-key",
                                "(?i:account|sharedaccess)(?i:key)(?:=|%3[dD])(" + base64 + "{40,}" + PADDING + ")",
                                "AccountKey=",
                                "SharedAccessKey=",
                                "AccountKey%3D",
                                "SharedAccessKey%3D"),
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

    private static List<Rule> assignments() {
        String value =
                "[bfru]?" + QUOTE + "((?:[^\"'`\\s\\\\%]|%[013-9a-fA-F]|%2[^27]|\\\\+/){8,})(?:" + QUOTE + "|\\z)";
        String plain = "([A-Za-z0-9_\\-+/.~!@#$^*]{12,}" + PADDING + ")";
        String gap = "(?:\\s|%20|\\+|\\\\t)+";
        String[] passwords = {"password", "passwd", "passphrase", "pwd"};
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
            "signing_key"
        };
        return List.of(
                context("password", "(?i:password|passwd|passphrase|pwd)(?i:" + END + ")" + ASSIGNED + value, passwords)
                        .where(Plausible::isPassword),
                context(
                                "secret",
                                "(?i:secret|token|api[_-]?key|(?:access|private)_?key|(?:auth|encryption|signing)_key|credential)(?i:"
                                        + END + ")" + ASSIGNED + value,
                                keys)
                        .where(Plausible::isKey),
                context(
                                "password",
                                "(?:PASSWORD|PASSWD|PASSPHRASE|PWD)(?:=|%3[dD])" + plain,
                                "password=",
                                "passwd=",
                                "passphrase=",
                                "pwd=",
                                "password%3D")
                        .where(Plausible::isCredential),
                context(
                                "secret",
                                "(?:SECRET|TOKEN|API_KEY|APIKEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY)(?:=|%3[dD])" + plain,
                                "secret=",
                                "token=",
                                "api_key=",
                                "apikey=",
                                "access_key=",
                                "private_key=",
                                "secret_key=",
                                "token%3D",
                                "api_key%3D",
                                "secret%3D")
                        .where(Plausible::isRandom),
                context(
                                "connection-password",
                                "(?:;|%3[bB])" + SPACE + "?(?i:password|pwd)" + SPACE + "?(?:=|%3[dD])" + SPACE
                                        + "?((?:[^;\\s\"'&\\\\%]|%[^3]){6,128})",
                                ";Password",
                                "%3BPassword",
                                ";Pwd",
                                "%3BPwd",
                                ";password",
                                ";pwd",
                                "; password",
                                "; pwd",
                                ";+password",
                                ";%20password")
                        .where(Plausible::isPassword),
                context(
                                "netrc-password",
                                "(?i:login)" + gap + "(?:[^\\s%+]|%2[1-9a-fA-F]|%[013-9a-fA-F].){1,128}" + gap
                                        + "(?i:password)" + gap + "([^\\s\"'\\\\]{6,})",
                                "login ",
                                "login+",
                                "login%20")
                        .where(Plausible::isCredential),
                context(
                                "password",
                                "--(?i:password|passwd|token|api-key|secret)(?:=|\\s+)([A-Za-z0-9_\\-+/.~!@#^*]{8,})",
                                "--password",
                                "--passwd",
                                "--token",
                                "--api-key",
                                "--secret")
                        .where(Plausible::isPassword));
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
