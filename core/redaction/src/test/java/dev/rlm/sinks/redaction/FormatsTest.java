package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormatsTest {
    private static String redacted(String text) {
        Redaction redaction = Redactions.plain();
        return redaction.text(text);
    }

    static Stream<Planted> planted() {
        Random random = new Random(7);
        return Planted.formats().stream().map(format -> format.apply(random));
    }

    @ParameterizedTest
    @MethodSource("planted")
    void secretOfAForm_isReplaced_andNothingElse(Planted planted) {
        String redacted = redacted("it is " + planted.inContext() + " here");
        String[] around = planted.text().split("@@", -1);
        assertThat(redacted)
                .startsWith("it is " + around[0] + "[REDACTED:" + planted.kind() + ":")
                .endsWith("]" + around[1] + " here");
    }

    @Test
    void everyKind_hasAnExample() {
        Set<String> kinds = new HashSet<>();
        planted().forEach(planted -> kinds.add(planted.kind()));
        assertThat(Finders.rules(Set.of()))
                .extracting(Rule::kind)
                .allMatch(kinds::contains)
                .allMatch(Redaction::isKind);
    }

    /** What {@link Rule#addTo} relies on. */
    @ParameterizedTest
    @MethodSource("planted")
    void keywordOfAForm_inAnotherCase_isNone(Planted planted) {
        String text = planted.inContext();
        Finders.rules(Set.of()).stream()
                .filter(Rule::countsInItsCaseAlone)
                .filter(rule -> !rule.kind().equals("discord-token")) // all of which begin with digits in base64
                .forEach(rule -> rule.keywords().forEach(keyword -> assertNone(rule, text, keyword)));
    }

    private static void assertNone(Rule rule, String text, String keyword) {
        int at = text.indexOf(keyword);
        for (int i = at; at >= 0 && i < at + keyword.length(); i++) {
            if (Character.isLetter(text.charAt(i))) {
                assertThat(found(rule, otherCase(text, i), at))
                        .as(rule.kind() + " " + keyword)
                        .isZero();
            }
        }
    }

    private static int found(Rule rule, String text, int keyword) {
        List<FoundSecret> found = new ArrayList<>();
        Search search = new Search(text, SearchDeadline.in(Duration.ofMinutes(1)));
        search.follow((unused, from, to) -> rule.tryAt(search, text, from, found::add), keyword, keyword);
        return found.size();
    }

    private static String otherCase(String text, int index) {
        char c = text.charAt(index);
        char other = Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c);
        return text.substring(0, index) + other + text.substring(index + 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "commit 9ba6844f0c1d2e3a4b5c6d7e8f9012345678abcd",
                "id 123e4567-e89b-12d3-a456-426614174000",
                "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
                "ghp_short",
                "my_task-proj-name and task-12345678901234567890123456789012",
                "flask-abcdefghijklmnopqrstuvwxyz0123456789",
                "shelf_abcdefghijklmnopqrstuvwxyz0123456789ABCD",
                "AKIA is how it begins",
                "xAKIAABCDEFGHIJKLMNOP",
                "SKIPPED 0123456789abcdef0123456789abcdef",
                "monkey-0123456789abcdef0123456789abcdef",
                "eyJhbGciOiJIUzI1NiJ9 alone",
                "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAabc1\n-----END PUBLIC KEY-----",
                "if (line.startsWith(\"-----BEGIN PRIVATE KEY-----\")) { return parse(line, \"-----END PRIVATE KEY-----\"); }",
                "Bearer of bad news, and a basic misunderstanding",
                "Authorization: Bearer <token>",
                "headers.put(\"Authorization\", \"Bearer \" + accessToken1.value2)",
                "Authorization: Bearer ${TOKEN}",
                "api_key = \"your-api-key-here-1234\"",
                "api_key = \"xxxxxxxxxxxxxxxx1234\"",
                "password = \"${DB_PASSWORD_1}\"",
                "password: '<password1>'",
                "String password = config.get(\"db.password\");",
                "passwordField = \"login1form2\"",
                "token_type = \"bearer_2_of_3_abc4\"",
                "tokenizer = \"a1b2c3d4e5f6a7b8c9d0\"",
                "https://example.com:8080/a@b",
                "http://user@host/path",
                "git@github.com:owner/name.git",
                "https://user:${PASSWORD}@host",
                "Cookie: theme=dark",
                "mail jane.doe@example.com",
                "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
            })
    void ordinaryText_isLeftAlone(String text) {
        assertThat(redacted(text)).isEqualTo(text);
    }

    @Test
    void emails_areSecret_whereAskedFor() {
        Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(PersonalData.EMAIL), List.of()));
        assertThat(redaction.text("to jane.doe+x@mail.example.com, and b@c"))
                .matches("to \\[REDACTED:email:[0-9a-f]{8}], and b@c");
    }

    @Test
    void longTokens_areFoundWhole() {
        String token = "eyJhbGciOiJIUzI1NiJ9." + "a1B2".repeat(40_000) + "." + "x9".repeat(30);
        assertThat(redacted("<" + token + ">")).matches("<\\[REDACTED:jwt:[0-9a-f]{8}]>");
        assertThat(redacted("<" + token.substring(0, 100_000))).matches("<\\[REDACTED:jwt:[0-9a-f]{8}]");
        String key = "gh" + "p_" + "a1B2".repeat(40_000);
        assertThat(redacted(key + " " + key)).matches("(\\[REDACTED:github-token:[0-9a-f]{8}]) \\1");
    }

    @Test
    void keyThatWasCut_isFound() {
        Function<Random, Planted> pem = Planted.formats().stream()
                .filter(format -> format.apply(new Random(1)).kind().equals("private-key"))
                .findFirst()
                .orElseThrow();
        Planted planted = pem.apply(new Random(1));
        String cut = planted.secret().substring(0, 1_000);
        assertThat(redacted("a " + cut)).matches("a \\[REDACTED:private-key:[0-9a-f]{8}]");
        assertThat(redacted("a " + cut.replace("\n", "\\n") + "\" b"))
                .matches("a \\[REDACTED:private-key:[0-9a-f]{8}]\" b");
    }

    @Test
    void equalSecrets_areEqualInEveryEncoding() {
        Planted planted = Planted.formats().get(0).apply(new Random(3));
        Redaction redaction = Redactions.plain();
        String mark = redaction.text(planted.secret());
        for (Encoding encoding : Encoding.values()) {
            assertThat(redaction.text(encoding.of("{\"k\": \"" + planted.secret() + "\"}", 1)))
                    .as(encoding.name())
                    .contains(mark);
        }
    }

    @Test
    void marksOfUnknownKinds_hideNothing() {
        Redaction redaction = Redactions.plain();
        redaction.register(Redaction.REGISTERED, "swordfish-7");
        assertThat(redaction.text("[REDACTED:swordfish-7:01234567]")).doesNotContain("swordfish");
        assertThat(redaction.text("[REDACTED:env:01234567]")).isEqualTo("[REDACTED:env:01234567]");
        redaction.register(Redaction.REGISTERED, "REDACTED");
        assertThat(redaction.text("[REDACTED:env:01234567] [REDACTED:failed]"))
                .isEqualTo("[REDACTED:env:01234567] [REDACTED:failed]");
    }

    /** All that this project's own sources hold, but for the tests of redaction itself, which hold what looks like secrets. */
    @Test
    void ordinarySource_isHitInOneLineOfAThousandAtMost() throws IOException {
        long lines = 0;
        long changed = 0;
        Path project = Path.of("..", "..").toAbsolutePath().normalize();
        Redaction redaction = Redactions.plain();
        try (Stream<Path> files = Files.walk(project)) {
            for (Path file : files.filter(FormatsTest::isSource).toList()) {
                String text = Files.readString(file, StandardCharsets.UTF_8);
                List<String> before = text.lines().toList();
                lines += before.size();
                if (!redaction.text(text).equals(text)) {
                    changed += before.stream()
                            .filter(line -> !redaction.text(line).equals(line))
                            .count();
                }
            }
        }
        assertThat(lines).isGreaterThan(10_000);
        assertThat((double) changed / lines).isLessThanOrEqualTo(0.001);
    }

    private static boolean isSource(Path file) {
        String name = file.toString();
        return name.matches(".*\\.(java|md|xml|py|json|yaml|sh)")
                && !name.contains("/target/")
                && !name.contains("/.git/")
                && !name.matches(".*/test/java/dev/rlm/sinks/(core/)?redaction/[^/]*");
    }
}
