package dev.rlm.sinks.redaction;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Made-up secrets, put together while a test runs, so that nobody who looks for secrets in source code finds one here.
 *
 * @param kind as what it is found
 * @param secret what must not be seen
 * @param text where it stands
 */
record Planted(String kind, String secret, String text) {
    static final String ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static final String HEX = "0123456789abcdef";
    static final String URL_SAFE = ALPHANUMERIC + "-_";
    static final String BASE64 = ALPHANUMERIC + "+/";
    private static final String UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String DIGITS = "0123456789";

    private static final String LOWER = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final Pattern PLACEHOLDER = Pattern.compile("<([a-zA-Z0-9]+)(?::(\\d+))?>");

    /** What stands in a text for the secret. */
    private static final String HERE = "@@";

    static String random(Random random, int length, String alphabet) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        // as random as it is, it has what every long secret has
        if (length >= 12 && alphabet.length() > UPPER.length()) {
            for (int i = 0; i < 4; i++) {
                text.setCharAt(2 + 2 * i, DIGITS.charAt(random.nextInt(DIGITS.length())));
            }
        }
        return text.toString();
    }

    private static Function<Random, Planted> form(String kind, String prefix, int length, String alphabet) {
        return random -> new Planted(kind, prefix + random(random, length, alphabet), HERE);
    }

    private static Function<Random, Planted> within(String kind, String text, int length, String alphabet) {
        return random -> new Planted(kind, random(random, length, alphabet), text);
    }

    /** Every kind at least once. */
    static List<Function<Random, Planted>> formats() {
        List<Function<Random, Planted>> all = new ArrayList<>();
        all.add(form("github-token", "gh" + "p_", 36, ALPHANUMERIC));
        all.add(form("github-token", "gh" + "s_", 36, ALPHANUMERIC));
        all.add(form("github-token", "github" + "_pat_", 82, ALPHANUMERIC));
        all.add(form("gitlab-token", "gl" + "pat-", 20, URL_SAFE));
        all.add(form("npm-token", "npm" + "_", 36, ALPHANUMERIC));
        all.add(form("pypi-token", "pyp" + "i-AgEIcHlwaS5vcmc", 120, URL_SAFE));
        all.add(form("docker-token", "dckr" + "_pat_", 27, URL_SAFE));
        all.add(form("atlassian-token", "ATATT" + "3xFfGF0", 180, URL_SAFE));
        all.add(random -> new Planted(
                "postman-key", "PMA" + "K-" + random(random, 24, HEX) + "-" + random(random, 34, HEX), HERE));
        all.add(form("sentry-token", "sntr" + "ys_", 90, BASE64));
        all.add(form("grafana-token", "gls" + "a_", 41, ALPHANUMERIC));
        all.add(form("newrelic-key", "NRA" + "K-", 27, UPPER));
        all.add(form("openai-key", "sk-" + "proj-", 120, URL_SAFE));
        all.add(form("openai-key", "s" + "k-", 48, ALPHANUMERIC));
        all.add(form("anthropic-key", "sk-" + "ant-api03-", 95, URL_SAFE));
        all.add(random -> new Planted("langfuse-key", "sk-" + "lf-" + uuid(random), HERE));
        all.add(form("openrouter-key", "sk-" + "or-v1-", 64, HEX));
        all.add(form("huggingface-token", "h" + "f_", 34, ALPHANUMERIC));
        all.add(form("huggingface-token", "api" + "_org_", 34, ALPHANUMERIC));
        all.add(form("wandb-key", "wandb" + "_v1_", 77, ALPHANUMERIC));
        all.add(within("wandb-key", "WANDB_API_KEY=" + HERE, 40, HEX));
        all.add(form("groq-key", "gs" + "k_", 52, ALPHANUMERIC));
        all.add(form("xai-key", "xa" + "i-", 80, ALPHANUMERIC));
        all.add(form("nvidia-key", "nvap" + "i-", 64, URL_SAFE));
        all.add(form("replicate-token", "r" + "8_", 37, ALPHANUMERIC));
        all.add(form("perplexity-key", "ppl" + "x-", 48, ALPHANUMERIC));
        all.add(form("fireworks-key", "f" + "w_", 24, ALPHANUMERIC));
        all.add(form("together-key", "tgp" + "_v1_", 43, URL_SAFE));
        all.add(random -> new Planted(
                "langsmith-key", "lsv" + "2_pt_" + random(random, 32, HEX) + "_" + random(random, 10, HEX), HERE));
        all.add(form("tavily-key", "tvl" + "y-dev-", 32, ALPHANUMERIC));
        all.add(form("firecrawl-key", "f" + "c-", 32, HEX));
        all.add(form("jina-key", "jin" + "a_", 60, ALPHANUMERIC));
        all.add(form("pinecone-key", "pcs" + "k_", 70, ALPHANUMERIC));
        all.add(form("e2b-key", "e2" + "b_", 40, HEX));
        all.add(form("daytona-key", "dt" + "n_", 64, HEX));
        all.add(form("fly-token", "fo" + "1_", 43, URL_SAFE));
        all.add(form("aws-key", "AKI" + "A", 16, UPPER));
        all.add(within("aws-secret", "aws_secret_access_key = " + HERE, 40, BASE64));
        all.add(within("aws-secret", "\"SecretAccessKey\": \"" + HERE + "\"", 40, BASE64));
        all.add(within("aws-secret", "aws_session_token=" + HERE, 240, BASE64));
        all.add(form("google-api-key", "AI" + "za", 35, URL_SAFE));
        all.add(form("google-oauth", "ya" + "29.a0", 120, URL_SAFE));
        all.add(form("google-oauth", "GOCS" + "PX-", 28, URL_SAFE));
        all.add(form("google-oauth", "1/" + "/0g", 60, URL_SAFE));
        all.add(random -> new Planted(
                "azure-secret", random(random, 3, ALPHANUMERIC) + "8" + "Q~" + random(random, 34, URL_SAFE), HERE));
        all.add(random -> new Planted(
                "azure-key",
                random(random, 86, BASE64) + "==",
                "DefaultEndpointsProtocol=https;AccountName=store;AccountKey=" + HERE
                        + ";EndpointSuffix=core.windows.net"));
        all.add(random -> new Planted(
                "azure-sas",
                random(random, 43, ALPHANUMERIC) + "%3D",
                "https://store.blob.core.windows.net/c?sv=2022-11-02&sr=b&sig=" + HERE + "&se=2030-01-01"));
        all.add(form("digitalocean-token", "do" + "p_v1_", 64, HEX));
        all.add(form("databricks-token", "dap" + "i", 32, HEX));
        all.add(form("heroku-key", "HRK" + "U-", 60, URL_SAFE));
        all.add(form("vault-token", "hv" + "s.", 90, URL_SAFE));
        all.add(random -> new Planted(
                "terraform-token",
                random(random, 14, ALPHANUMERIC) + ".atla" + "sv1." + random(random, 67, URL_SAFE),
                HERE));
        all.add(form("planetscale-token", "pscale" + "_tkn_", 43, ALPHANUMERIC));
        all.add(form("supabase-token", "sb" + "p_", 40, HEX));
        all.add(form("doppler-token", "dp" + ".pt.", 43, ALPHANUMERIC));
        all.add(random -> new Planted(
                "slack-token",
                "xox" + "b-" + random(random, 12, DIGITS) + "-" + random(random, 13, DIGITS) + "-"
                        + random(random, 24, ALPHANUMERIC),
                HERE));
        all.add(random -> new Planted(
                "slack-token", "xap" + "p-1-A" + random(random, 10, DIGITS) + "-" + random(random, 64, HEX), HERE));
        all.add(random -> new Planted(
                "slack-webhook",
                "T" + random(random, 10, UPPER) + "/B" + random(random, 10, UPPER) + "/"
                        + random(random, 24, ALPHANUMERIC),
                "https://hooks.slack.com/services/" + HERE));
        all.add(within("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/" + HERE, 68, URL_SAFE));
        all.add(random -> new Planted(
                "discord-token",
                Base64.getEncoder().withoutPadding().encodeToString(bytes("4" + random(random, 17, DIGITS))) + "."
                        + random(random, 6, URL_SAFE) + "." + random(random, 38, URL_SAFE),
                HERE));
        all.add(random -> new Planted(
                "telegram-token",
                "1" + random(random, 9, DIGITS) + ":A" + "A" + random(random, 33, ALPHANUMERIC),
                HERE));
        all.add(form("stripe-key", "sk_" + "live_", 24, ALPHANUMERIC));
        all.add(form("stripe-key", "whse" + "c_", 32, ALPHANUMERIC));
        all.add(form("twilio-key", "S" + "K", 32, HEX));
        all.add(within("twilio-secret", "TWILIO_AUTH_TOKEN=" + HERE, 32, HEX));
        all.add(random -> new Planted(
                "sendgrid-key", "S" + "G." + random(random, 22, URL_SAFE) + "." + random(random, 43, URL_SAFE), HERE));
        all.add(form("mailgun-key", "ke" + "y-", 32, HEX));
        all.add(form("shopify-token", "shp" + "at_", 32, HEX));
        all.add(form("linear-key", "lin" + "_api_", 40, ALPHANUMERIC));
        all.add(form("notion-token", "nt" + "n_", 46, ALPHANUMERIC));
        all.add(form("notion-token", "secret" + "_", 43, ALPHANUMERIC));
        all.add(form("age-key", "AGE-SECRET" + "-KEY-1", 58, UPPER));
        all.add(random -> new Planted("jwt", jwt(random, 200), HERE));
        all.add(random -> new Planted("jwt", jwt(random, 8_000), HERE));
        all.add(random -> new Planted("private-key", pem(random, 26, "RSA "), HERE));
        all.add(random -> new Planted("private-key", pem(random, 90, ""), HERE));
        all.add(random -> new Planted("private-key", pem(random, 20, "OPENSSH "), "key: |\n" + HERE));
        all.add(within("bearer", "curl -H 'Authorization: Bearer " + HERE + "'", 40, URL_SAFE));
        all.add(random -> new Planted(
                "basic-auth",
                Base64.getEncoder().encodeToString(bytes("user:" + random(random, 20, ALPHANUMERIC))),
                "Authorization: Basic " + HERE));
        all.add(within("authorization", "authorization: token " + HERE, 32, ALPHANUMERIC));
        all.add(within("api-key", "x-api-key: " + HERE, 32, ALPHANUMERIC));
        all.add(random -> new Planted("cookie", "session=" + random(random, 40, ALPHANUMERIC), "Cookie: " + HERE));
        all.add(within("url-password", "postgres://app:" + HERE + "@db.internal:5432/app", 16, ALPHANUMERIC));
        all.add(within("url-password", "https://" + HERE + "@git.internal/a.git", 40, ALPHANUMERIC));
        all.add(within("url-parameter", "GET /v1/items?limit=5&api_key=" + HERE, 32, ALPHANUMERIC));
        all.add(within("url-parameter", "/callback?token=" + HERE + "&state=1", 32, ALPHANUMERIC));
        all.add(within(
                "connection-password", "Server=db;User Id=sa;Password=" + HERE + ";Encrypt=true", 16, ALPHANUMERIC));
        all.add(within("netrc-password", "machine api.internal login me password " + HERE, 24, ALPHANUMERIC));
        all.add(within("password", "db_password = \"" + HERE + "\"", 14, ALPHANUMERIC));
        all.add(within("password", "\"password\": \"" + HERE + "\"", 20, ALPHANUMERIC));
        all.add(within("secret", "client_secret: '" + HERE + "'", 32, ALPHANUMERIC));
        all.add(within("secret", "const apiKey = \"" + HERE + "\";", 32, ALPHANUMERIC));
        all.add(within("secret", "export SERVICE_TOKEN=" + HERE, 40, ALPHANUMERIC));
        all.add(random -> new Planted(
                "wireguard-key",
                random(random, 43, BASE64) + "=",
                "[Interface]\nPrivateKey = " + HERE + "\nListenPort = 1"));
        Form.all()
                .forEach(form ->
                        form.values("find").forEach(example -> all.add(random -> of(form.kind(), example, random))));
        return all;
    }

    /** An example of {@code forms.txt}, with what is random filled in. */
    static Planted of(String kind, String example, Random random) {
        String filled = PLACEHOLDER
                .matcher(example.replace("\\n", "\n"))
                .replaceAll(match -> Matcher.quoteReplacement(
                        filled(match.group(1), match.group(2) == null ? 0 : Integer.parseInt(match.group(2)), random)));
        int from = filled.indexOf("<<");
        int to = filled.lastIndexOf(">>");
        return from < 0
                ? new Planted(kind, filled, HERE)
                : new Planted(
                        kind,
                        filled.substring(from + 2, to),
                        filled.substring(0, from) + HERE + filled.substring(to + 2));
    }

    private static String filled(String what, int length, Random random) {
        return switch (what) {
            case "uuid" -> uuid(random);
            case "basic" -> Base64.getEncoder().encodeToString(bytes("user:" + random(random, 20, ALPHANUMERIC)));
            case "hex" -> random(random, length, HEX);
            case "HEX" -> random(random, length, HEX).toUpperCase(Locale.ROOT);
            case "upper" -> random(random, length, UPPER);
            case "lower" -> random(random, length, LOWER);
            case "digit" -> random(random, length, DIGITS);
            case "url" -> random(random, length, URL_SAFE);
            case "base64" -> random(random, length, BASE64);
            case "alnum" -> random(random, length, ALPHANUMERIC);
            default -> throw new IllegalArgumentException(what);
        };
    }

    Planted at(String text) {
        return new Planted(kind, secret, text);
    }

    /** Where it stands in the text, in full. */
    String inContext() {
        return text.replace(HERE, secret);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String uuid(Random random) {
        return random(random, 8, HEX) + "-" + random(random, 4, HEX) + "-4" + random(random, 3, HEX) + "-a"
                + random(random, 3, HEX) + "-" + random(random, 12, HEX);
    }

    private static String jwt(Random random, int length) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String header = encoder.encodeToString(bytes("{\"alg\":\"HS256\",\"typ\":\"JWT\"}"));
        String claims = encoder.encodeToString(bytes("{\"sub\":\"" + random(random, length, ALPHANUMERIC) + "\"}"));
        return header + "." + claims + "." + random(random, 43, URL_SAFE);
    }

    private static String pem(Random random, int lines, String type) {
        StringBuilder pem = new StringBuilder("-----BEG" + "IN " + type + "PRIVATE KEY-----\n");
        for (int i = 0; i < lines; i++) {
            pem.append(random(random, i == lines - 1 ? 30 : 64, BASE64)).append('\n');
        }
        return pem.append("-----E" + "ND ")
                .append(type)
                .append("PRIVATE KEY-----")
                .toString();
    }
}
