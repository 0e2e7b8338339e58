package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The check of libraries for known vulnerabilities, against a server in the place of OSV's. */
@Timeout(120)
class KnownVulnerabilitiesTest {
    private static final String SBOM = """
            {"metadata": {"component": {"group": "dev.rlm", "name": "cli"}}, "components": [
              {"group": "dev.rlm", "purl": "pkg:maven/dev.rlm/sinks-api@1?type=jar"},
              {"group": "io.airlift", "purl": "pkg:maven/io.airlift/aircompressor@2.0.2?type=jar"},
              {"group": "org.slf4j", "purl": "pkg:maven/org.slf4j/slf4j-api@2.0.19?type=jar"}]}
            """;

    @TempDir
    private Path folder;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<String> answers = new CopyOnWriteArrayList<>();
    private HttpServer osv;
    private int status = 200;

    @BeforeEach
    void listen() throws Exception {
        assumeTrue(hasPython(), "python3 is not here");
        osv = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        osv.createContext("/", exchange -> answer(exchange, 404, ""));
        osv.createContext("/v1/querybatch", exchange -> {
            JsonObject question = JsonParser.parseReader(
                            new InputStreamReader(exchange.getRequestBody(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            question.getAsJsonArray("queries").forEach(query -> asked.add(query.toString()));
            answer(exchange, status, answers.remove(0));
        });
        osv.start();
    }

    private static boolean hasPython() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @AfterEach
    void stop() {
        if (osv != null) {
            osv.stop(0);
        }
    }

    @Test
    void libraries_ofWhichNothingIsKnown_areCounted() throws Exception {
        answers.add("{\"results\": [{}, {}]}");

        assertThat(check(0)).isEqualTo("libraries checked: 2, known vulnerabilities: 0");
        assertThat(asked)
                .as("of others alone")
                .containsExactly(
                        "{\"package\":{\"purl\":\"pkg:maven/io.airlift/aircompressor@2.0.2\"}}",
                        "{\"package\":{\"purl\":\"pkg:maven/org.slf4j/slf4j-api@2.0.19\"}}");
    }

    @Test
    void vulnerabilities_ofAllPages_areNamed() throws Exception {
        answers.add("{\"results\": [{\"vulns\": [{\"id\": \"GHSA-one\"}], \"next_page_token\": \"more\"}, {}]}");
        answers.add("{\"results\": [{\"vulns\": [{\"id\": \"GHSA-two\"}]}]}");

        assertThat(check(1).lines())
                .containsExactly(
                        "pkg:maven/io.airlift/aircompressor@2.0.2: GHSA-one (https://osv.dev/vulnerability/GHSA-one)",
                        "pkg:maven/io.airlift/aircompressor@2.0.2: GHSA-two (https://osv.dev/vulnerability/GHSA-two)",
                        "libraries checked: 2, known vulnerabilities: 2");
        assertThat(asked.get(2)).contains("\"page_token\":\"more\"");
    }

    @Test
    void check_withoutAnAnswer_saysThatItWasSkipped() throws Exception {
        status = 503;
        answers.add("busy");
        assertThat(check(0)).isEqualTo(skipped("/v1/querybatch answers with HTTP status 503"));

        status = 200;
        answers.add("<html>");
        assertThat(check(0)).startsWith(skipped("/v1/querybatch gives no answer: "));
        for (String other : List.of("[]", "{\"results\": [{}]}", "{\"results\": [{\"vulns\": [{}]}, {}]}")) {
            answers.add(other);
            assertThat(check(0)).isEqualTo(skipped(" answers something else than was asked"));
        }

        String unreachable = skipped(" cannot be reached: ");
        osv.stop(0);
        assertThat(check(0)).startsWith(unreachable).hasLineCount(1);
    }

    @Test
    void question_thatIsRefused_isAnError() throws Exception {
        status = 400;
        answers.add("bad purl");

        assertThat(check(2)).contains("refuses the question: bad purl");
    }

    @Test
    void list_thatIsNone_isAnError() throws Exception {
        assertThat(check(2, "[]")).contains("is no CycloneDX file in JSON");
        assertThat(check(2, SBOM.replace("io.airlift", "dev.rlm").replace("org.slf4j", "dev.rlm")))
                .contains("names no library of others");
    }

    private String skipped(String why) {
        return "skipped: no library was checked for known vulnerabilities, since " + url() + why;
    }

    private String url() {
        return "http://127.0.0.1:" + osv.getAddress().getPort();
    }

    private String check(int exitCode) throws IOException, InterruptedException {
        return check(exitCode, SBOM);
    }

    /** What it says. */
    private String check(int exitCode, String sbom) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("sbom.json"), sbom);
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of("..", "..", ".ci", "known-vulnerabilities").toString(), "--url", url(), file.toString())
                .redirectErrorStream(true);
        builder.environment().put("no_proxy", "*");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(said).isEqualTo(exitCode);
        return said.strip();
    }
}
