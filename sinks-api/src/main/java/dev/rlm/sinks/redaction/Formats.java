package dev.rlm.sinks.redaction;

import static dev.rlm.sinks.redaction.Rule.format;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Secrets that can be told by their own form. docs/redaction.md lists them. */
final class Formats {
    private static final String BREAK = "(?:\\s|\\\\+[nrt]|%0[aAdD]|%20|\\+)";
    private static final String DOT = "(?:\\.|%2[eE])";
    private static final String SLASH = "(?:\\\\*/|%2[fF])";
    private static final String BASE64 = "(?:[A-Za-z0-9+/=_\\-]|\\\\+/|%2[bBfF]|%3[dD])";
    private static final String DASHES = "-----";
    private static final int TELEGRAM_DIGITS = 10;
    private static final int AWS_ID = 20;
    private static final int AZURE_BEFORE = 3;
    private static final int TERRAFORM_BEFORE = 14;

    private Formats() {}

    static List<Rule> all() {
        List<Rule> all = new ArrayList<>();
        all.addAll(structures());
        all.addAll(clouds());
        all.addAll(models());
        all.addAll(tools());
        all.addAll(code());
        all.addAll(services());
        Form.all().forEach(form -> all.add(form.rule()));
        return all;
    }

    /** Standard forms. */
    private static List<Rule> structures() {
        String begin = DASHES + "BEGIN" + BREAK + "(?:[A-Z0-9]{1,16}" + BREAK + "){0,3}PRIVATE" + BREAK + "KEY" + "(?:"
                + BREAK + "BLOCK)?" + DASHES;
        String toItsEnd = "(?:[^-]|-[A-Za-z])*" + DASHES + "END[^-]{0,64}(?:" + DASHES + ")?";
        String header = "(?:(?:Proc-Type|DEK-Info|Version|Comment):[^\\r\\n\\\\]*" + BREAK + "*)";
        String withoutEnd = BREAK + "*" + header + "*(?:[A-Za-z0-9/=]|%2[bBfF]|%3[dD]|\\\\+/|" + BREAK + ")*";
        return List.of(
                format("private-key", begin + "(?:" + toItsEnd + "|" + withoutEnd + ")", DASHES + "BEGIN")
                        .where(Plausible::isPem),
                format("jwt", "eyJ[\\w\\-]{8,}(?:(?:" + DOT + "[\\w\\-]*){1,4}|\\z)", "eyJ")
                        .separately()
                        .where(Plausible::isJwt),
                format("age-key", "AGE-SECRET-KEY-1[A-Z0-9]{50,}", "AGE-SECRET-KEY-1"));
    }

    private static List<Rule> clouds() {
        String base64 = "(?:[A-Za-z0-9+/]|\\\\+/|%2[bBfF]){40}";
        return List.of(
                format(
                                "aws-key",
                                "(A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16})(?:(?s:(?:[^A-Za-z0-9]|%3[aA])(?:.{0,160}?[^A-Za-z0-9+/=])?)("
                                        + base64 + ")(?:[^A-Za-z0-9+/=]|\\z)|\\b)",
                                "AKIA",
                                "ASIA",
                                "ABIA",
                                "ACCA")
                        .separately()
                        .where(part -> part.length() == AWS_ID || Plausible.isMixed(part)),
                format("google-api-key", "AIza[\\w\\-]{35}", "AIza").separately(),
                format("google-oauth", "ya29\\.[\\w\\-.]{20,}", "ya29.").separately(),
                format("google-oauth", "GOCSPX-[\\w\\-]{20,}", "GOCSPX-"),
                format(
                                "google-oauth",
                                "1" + SLASH + "{2}0[\\w\\-]{40,}",
                                "1//0",
                                "1\\/\\/0",
                                "1\\\\\\/\\\\\\/0",
                                "1%2F%2F0")
                        .separately(),
                format("azure-secret", "[\\w~.\\-]{3}8Q(?:~|%7[eE])[\\w~.\\-]{31,34}", "8Q~", "8Q%7E")
                        .behind(c -> Escapes.isAlphanumeric(c) || "_~.-".indexOf(c) >= 0, AZURE_BEFORE),
                format("digitalocean-token", "do[opr]_v1_[0-9a-f]{64}", "dop_v1_", "doo_v1_", "dor_v1_"),
                format("databricks-token", "dapi[0-9a-f]{32}(?:-\\d)?\\b", "dapi")
                        .separately(),
                format("heroku-key", "HRKU-[\\w\\-]{36,}", "HRKU-"),
                format("vault-token", "hv[sbr]\\.[\\w\\-]{24,}", "hvs.", "hvb.", "hvr.")
                        .separately(),
                format("terraform-token", "\\w{14}\\.atlasv1\\.[\\w\\-]{60,}", ".atlasv1.")
                        .behind(Escapes::isAlphanumeric, TERRAFORM_BEFORE),
                format("planetscale-token", "pscale_(?:tkn|oauth|pw)_[\\w\\-.]{32,}", "pscale_"),
                format("supabase-token", "sbp_[0-9a-f]{40}", "sbp_"),
                format("doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.\\-]{40,}", "dp.")
                        .separately());
    }

    /** Those whose models, data and measurements are used. */
    private static List<Rule> models() {
        return List.of(
                format("anthropic-key", "sk-ant-[\\w\\-]{24,}", "sk-ant-"),
                format("langfuse-key", "sk-lf-[0-9a-f\\-]{32,}", "sk-lf-"),
                format("openrouter-key", "sk-or-[\\w\\-]{32,}", "sk-or-"),
                format(
                        "openai-key",
                        "sk-(?:proj|svcacct|admin|None)-[\\w\\-]{20,}",
                        "sk-proj-",
                        "sk-svcacct-",
                        "sk-admin-",
                        "sk-None-"),
                format("openai-key", "sk-[A-Za-z0-9]{32,}", "sk-").separately().where(Plausible::isKey),
                format("huggingface-token", "hf_[A-Za-z0-9]{30,}", "hf_").separately(),
                format("huggingface-token", "api_org_[A-Za-z0-9]{30,}", "api_org_"),
                format("wandb-key", "wandb_v1_\\w{40,}", "wandb_v1_"),
                format("groq-key", "gsk_[A-Za-z0-9]{40,}", "gsk_").separately(),
                format("xai-key", "xai-[A-Za-z0-9]{60,}", "xai-"),
                format("nvidia-key", "nvapi-[\\w\\-]{40,}", "nvapi-"),
                format("replicate-token", "r8_[A-Za-z0-9]{36,}", "r8_").separately(),
                format("perplexity-key", "pplx-[A-Za-z0-9]{40,}", "pplx-"),
                format("fireworks-key", "fw_[A-Za-z0-9]{22,}", "fw_").separately(),
                format("together-key", "tgp_v1_[\\w\\-]{40,}", "tgp_v1_"),
                format("langsmith-key", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", "lsv2_"));
    }

    /** What agents work with: searches, sandboxes, stores of vectors. */
    private static List<Rule> tools() {
        return List.of(
                format("tavily-key", "tvly-(?:dev-|prod-)?[\\w\\-]{30,}", "tvly-"),
                format("firecrawl-key", "fc-[0-9a-f]{32}\\b", "fc-").separately(),
                format("jina-key", "jina_[\\w\\-]{40,}", "jina_").separately(),
                format("pinecone-key", "pcsk_\\w{50,}", "pcsk_"),
                format("e2b-key", "e2b_[0-9a-f]{40}\\b", "e2b_").separately(),
                format("daytona-key", "dtn_[0-9a-f]{64}\\b", "dtn_").separately(),
                format(
                                "fly-token",
                                "(?:fo1_[\\w\\-]{40,}|fm\\d[ar]?_[A-Za-z0-9+/=]{60,})",
                                "fo1_",
                                "fm1r_",
                                "fm1a_",
                                "fm2_")
                        .separately());
    }

    /** Where code, packages and images are kept. */
    private static List<Rule> code() {
        return List.of(
                format("github-token", "gh[pousr]_[A-Za-z0-9]{30,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
                format("github-token", "github_pat_\\w{40,}", "github_pat_"),
                format(
                        "gitlab-token",
                        "gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|oas)-[\\w\\-.]{20,}",
                        "glpat-",
                        "gldt-",
                        "glrt-",
                        "glrtr-",
                        "glcbt-",
                        "glptt-",
                        "glft-",
                        "glimt-",
                        "glagent-",
                        "glsoat-",
                        "glffct-",
                        "gloas-"),
                format("npm-token", "npm_[A-Za-z0-9]{36,}", "npm_").separately(),
                format("pypi-token", "pypi-[\\w\\-]{50,}", "pypi-"),
                format("docker-token", "dckr_(?:pat|oat)_[\\w\\-]{20,}", "dckr_"),
                format("atlassian-token", "ATATT3[\\w\\-=]{60,}", "ATATT3"),
                format("postman-key", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-"),
                format("sentry-token", "sntry[su]_" + BASE64 + "{40,}", "sntrys_", "sntryu_"),
                format("grafana-token", "gl(?:sa|c)_" + BASE64 + "{32,}", "glsa_", "glc_"),
                format("newrelic-key", "NRAK-[A-Z0-9]{27}", "NRAK-"));
    }

    private static List<Rule> services() {
        String slack = "hooks\\.slack\\.com" + SLASH + "(?:services|workflows|triggers)" + SLASH + ""
                + "((?:[\\w/]|\\\\+/|%2[fF]){20,})";
        String discord = "discord(?:app)?\\.com" + SLASH + "api" + SLASH + "webhooks" + SLASH + "\\d{10,24}" + ""
                + SLASH + "([\\w\\-]{30,})";
        return List.of(
                format(
                                "slack-token",
                                "xox[abceoprs]-[A-Za-z0-9\\-.]{16,}",
                                "xoxa-",
                                "xoxb-",
                                "xoxc-",
                                "xoxe-",
                                "xoxo-",
                                "xoxp-",
                                "xoxr-",
                                "xoxs-",
                                "xoxe.xox")
                        .where(Plausible::isCredential)
                        .onceInALine(),
                format("slack-token", "xapp-\\d-[A-Za-z0-9\\-]{16,}", "xapp-"),
                format("slack-webhook", slack, "hooks.slack.com"),
                format("discord-webhook", discord, "discord.com", "discordapp.com"),
                format(
                                "discord-token",
                                "[MNO][\\w\\-]{22,28}" + DOT + "[\\w\\-]{6}" + DOT + "[\\w\\-]{27,45}",
                                snowflakes())
                        .separately(),
                format("telegram-token", "\\d{8,10}(?::|%3[aA])AA[\\w\\-]{32,34}\\b", ":AA", "%3AAA")
                        .behind(Character::isDigit, TELEGRAM_DIGITS),
                format(
                        "stripe-key",
                        "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",
                        "sk_live_",
                        "sk_test_",
                        "rk_live_",
                        "rk_test_"),
                format("stripe-key", "whsec_" + BASE64 + "{24,}", "whsec_"),
                format(
                                "twilio-key",
                                "SK[0-9a-f]{32}\\b",
                                IntStream.range(0, 16)
                                        .mapToObj(digit -> "SK" + Integer.toHexString(digit))
                                        .toArray(String[]::new))
                        .separately(),
                format("sendgrid-key", "SG" + DOT + "[\\w\\-]{16,32}" + DOT + "[\\w\\-]{16,64}", "SG.", "SG%2E")
                        .separately(),
                format("mailgun-key", "key-[0-9a-f]{32}\\b", "key-").separately(),
                format("shopify-token", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "shpat_", "shpca_", "shppa_", "shpss_"),
                format("linear-key", "lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_api_", "lin_oauth_"),
                format("notion-token", "ntn_[A-Za-z0-9]{40,}", "ntn_").separately(),
                format("notion-token", "secret_[A-Za-z0-9]{43}\\b", "secret_").separately());
    }

    /** How the number of an account begins in base64: two digits, and the upper bits of a third. */
    private static String[] snowflakes() {
        return IntStream.range(10, 100)
                .mapToObj(number -> KnownValue.base64(
                                (number + "0").getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0)
                        .substring(0, 3))
                .distinct()
                .toArray(String[]::new);
    }
}
