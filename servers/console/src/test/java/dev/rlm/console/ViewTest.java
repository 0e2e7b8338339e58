package dev.rlm.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers of {@code rlm view}, who gets them, and how changes are told. */
@Timeout(180)
class ViewTest {
    private static final String TOKEN = RunningView.TOKEN;
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    private static Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private static RunningView view;

    @BeforeAll
    static void start() throws IOException {
        assertThat(rlm("run", "--samples", "6", "--rollouts", "2", "--train-step", "3")
                        .exitCode())
                .isZero();
        assertThat(rlm("run", "--samples", "6", "--rollouts", "2", "--train-step", "4", "--tag", "side=b")
                        .exitCode())
                .isZero();
        view = RunningView.start(folder, journal().toString());
    }

    @AfterAll
    static void stop() throws InterruptedException {
        view.close();
    }

    private static Path journal() {
        return folder.resolve(".rlm");
    }

    private static Cli rlm(String... arguments) {
        return rlm(journal(), arguments);
    }

    private static Cli rlm(Path journal, String... arguments) {
        return Cli.with(
                Map.of(
                        "RLM_JSONL_DIR",
                        journal.toString(),
                        "XDG_CACHE_HOME",
                        folder.resolve("cache-of-commands").toString()),
                arguments);
    }

    private static String run() {
        return JSON.readTree(rlm("list", "--json", "--limit", "1").out())
                .get("run_id")
                .asString();
    }

    // ---- who may look

    private static String status(String answer) {
        return answer.split(" ", 3)[1];
    }

    @ParameterizedTest
    @ValueSource(strings = {"//host/x", "/\\host/x", "/\\\\host", "/%5Chost", "/x/../\\host", "/./\\host"})
    void link_leadsToNoOtherPlace(String path) throws IOException {
        String answer = view.send("GET " + path + "?t=" + TOKEN + " HTTP/1.1", "Host: 127.0.0.1:" + view.port());

        assertThat(answer.lines().filter(line -> line.regionMatches(true, 0, "location:", 0, 9)))
                .allSatisfy(line -> assertThat(line.substring(9).strip()).matches("/([^/\\\\].*)?"));
    }

    @Test
    void link_givesTheTokenInACookie_andGoesOnWithoutIt() throws IOException {
        String answer =
                view.send("GET /runs?outcome=failed&t=" + TOKEN + " HTTP/1.1", "Host: 127.0.0.1:" + view.port());
        assertThat(status(answer)).isEqualTo("303");
        assertThat(answer)
                .containsIgnoringCase("location: /runs?outcome=failed\r\n")
                .containsIgnoringCase("set-cookie: rlm_view_" + view.port() + "=" + TOKEN)
                .contains("HttpOnly", "SameSite=Strict", "Path=/")
                .doesNotContain("Max-Age", "; Expires");

        String page = view.send(
                "GET /runs HTTP/1.1",
                "Host: localhost:" + view.port(),
                "Cookie: a=b; rlm_view_" + view.port() + "=" + TOKEN,
                "Sec-Fetch-Site: none",
                "Sec-Fetch-Mode: navigate");
        assertThat(status(page)).isEqualTo("200");
        assertThat(page).contains("<!doctype html>");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, HOST, Authorization: Bearer TOKEN, 200",
        "HEAD, HOST, Authorization: Bearer TOKEN, 200",
        "GET, HOST, X-None: none, 401",
        "GET, HOST, Authorization: Bearer TOKEN0, 401",
        "GET, HOST, Cookie: rlm_view_PORT=TOKEN0, 401",
        "GET, HOST, Cookie: rlm_view_1=TOKEN, 401",
        "GET, HOST, Cookie: rlm_view_PORT=%zz, 401",
        "GET, HOST, Cookie: rlm_view_PORT=TOKEN, 200",
        "POST, HOST, Authorization: Bearer TOKEN, 405",
        "OPTIONS, HOST, Authorization: Bearer TOKEN, 405",
        "DELETE, HOST, Authorization: Bearer TOKEN, 405",
        "GET, evil.example:PORT, Authorization: Bearer TOKEN, 403",
        "GET, 127.0.0.1, Authorization: Bearer TOKEN, 403",
        "GET, 127.0.0.1:1, Authorization: Bearer TOKEN, 403",
        "GET, 127.0.0.1.evil.example:PORT, Authorization: Bearer TOKEN, 403"
    })
    void request_isAnsweredByItsPlaceAndToken(String method, String host, String header, String status)
            throws IOException {
        for (String path : List.of("/", "/api/about", "/static/app.js")) {
            String answer = view.send(
                    method + " " + path + " HTTP/1.1",
                    "Host: " + host.replace("HOST", "127.0.0.1:PORT").replace("PORT", "" + view.port()),
                    header.replace("TOKEN", TOKEN).replace("PORT", "" + view.port()));
            assertThat(status(answer)).as(path).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: http://127.0.0.1:PORT, 200",
        "Origin: http://evil.example, 403",
        "Origin: http://localhost:PORT, 403",
        "Origin: null, 403",
        "Sec-Fetch-Site: same-origin, 200",
        "Sec-Fetch-Site: same-site, 403",
        "Sec-Fetch-Site: cross-site, 403",
        "Sec-Fetch-Site: none, 403"
    })
    void pageOfAnotherPlace_isRefused(String header, String status) throws IOException {
        String answer = view.send(
                "GET /api/list HTTP/1.1",
                "Host: 127.0.0.1:" + view.port(),
                "Authorization: Bearer " + TOKEN,
                header.replace("PORT", "" + view.port()));
        assertThat(status(answer)).isEqualTo(status);
        assertThat(answer).doesNotContainIgnoringCase("access-control-");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/runs/x", "/static/app.js", "/api/about", "/api/none", "/none"})
    void everyAnswer_hasTheRulesOfTheBrowser(String path) throws Exception {
        HttpResponse<String> answer = view.get(path);
        assertThat(answer.headers().firstValue("content-security-policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'")
                .contains("frame-ancestors 'none'", "connect-src 'self'")
                .doesNotContain("unsafe");
        assertThat(answer.headers().map())
                .containsEntry("x-content-type-options", List.of("nosniff"))
                .containsEntry("referrer-policy", List.of("no-referrer"))
                .containsEntry("cross-origin-opener-policy", List.of("same-origin"))
                .containsEntry("cross-origin-resource-policy", List.of("same-origin"))
                .containsEntry("cache-control", List.of("no-store"))
                .doesNotContainKey("server");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/static/../app.js",
                "/static/%2e%2e/app.js",
                "/static/..%2f..%2fViewCommand.class",
                "/static//etc/passwd",
                "/static/vendor",
                "/etc/passwd"
            })
    void addressOfNoPage_leadsNowhere(String path) throws IOException {
        String answer = view.send(
                "GET " + path + " HTTP/1.1", "Host: 127.0.0.1:" + view.port(), "Authorization: Bearer " + TOKEN);
        assertThat(status(answer)).isIn("400", "404");
    }

    // ---- what is answered

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/list?limit=5 | list --limit 5",
                "/api/list?outcome=completed&sort=-reward&reward=0.5..1 | list --outcome completed --sort -reward --reward 0.5..1",
                "/api/list?by=sample&sort=solved-rate | list --by sample --sort solved-rate",
                "/api/list?solved | list --solved",
                "/api/list?solved=true | list --solved",
                "/api/list?solved=false | list --no-solved",
                "/api/report | report",
                "/api/report?by=train-step | report --by train-step",
                "/api/report?curves | report --curves",
                "/api/report?health&train-step=3..4 | report --health --train-step 3..4",
                "/api/report?rewards | report --rewards",
                "/api/report?phases&env=calc | report --phases --env calc",
                "/api/report?tag=side%3Db&against=tag%3Dside%3Da | report --tag side=b --against tag=side=a",
                "/api/search/How%20many?limit=3 | search How_many --limit 3",
                "/api/check | check",
                "/api/scan | scan",
                "/api/jobs?lines=2 | jobs --lines 2"
            })
    void answer_isWhatTheCommandPrints(String path, String command) throws Exception {
        String[] arguments = Stream.of((command + " --json").split(" "))
                .map(word -> word.replace('_', ' '))
                .toArray(String[]::new);
        HttpResponse<String> answer = view.get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        Cli printed = rlm(arguments);
        assertThat(printed.exitCode()).as(printed.err()).isZero();
        assertThat(answer.body()).isEqualTo(printed.out());
        assertThat(answer.body().isEmpty()).isEqualTo(command.equals("scan")); // which finds nothing here
    }

    @Test
    void run_isAnsweredByTheBeginningOfItsId_andPacked() throws Exception {
        String run = run();
        String events = rlm("show", run, "--json").out();
        assertThat(view.get("/api/show/" + run).body()).isEqualTo(events);

        HttpRequest asked = HttpRequest.newBuilder(
                        view.request("/api/show/" + run.substring(0, 12)), (name, value) -> true)
                .header("Accept-Encoding", "gzip")
                .build();
        HttpResponse<InputStream> packed =
                HttpClient.newHttpClient().send(asked, HttpResponse.BodyHandlers.ofInputStream());
        assertThat(packed.headers().firstValue("content-encoding")).contains("gzip");
        try (InputStream body = new GZIPInputStream(packed.body())) {
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(events);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/list?outcome=maybe | 400 | --outcome",
                "/api/list?nonsense=1 | 400 | --nonsense",
                "/api/list?journal=7 | 400 | journal=7 is not valid: expected a number from 0 to 0",
                "/api/list?follow | 400 | the option follow is not for pages",
                "/api/list?index=/tmp | 400 | the option index is not for pages",
                "/api/list?csv | 400 | the option csv is not for pages",
                "/api/list?-x=1 | 400 | is not for pages",
                "/api/report?against=/etc | 400 | the option against is not for pages",
                "/api/diff/a/b?against=/etc | 400 | the option against is not for pages",
                "/api/scan?keep | 400 | the option keep is not for pages",
                "/api/show/nobody | 400 | nobody",
                "/api/show/--journal=%2Fetc | 400 | --journal=/etc",
                "/api/run | 404 | expected one of check, diff, jobs, list",
                "/api/delete/x | 404 | expected one of check, diff, jobs, list",
                "/api | 404 | expected one of check, diff, jobs, list",
                "/api/show/%zz | 400 | HTTP/1.1 400"
            })
    void question_thatIsNone_isRefused(String path, String status, String says) throws Exception {
        String answer = view.send(
                "GET " + path + " HTTP/1.1", "Host: 127.0.0.1:" + view.port(), "Authorization: Bearer " + TOKEN);
        assertThat(status(answer)).as(answer).isEqualTo(status);
        assertThat(answer).contains(says);
    }

    @Test
    void queryThatIsTooLong_isRefused() throws Exception {
        assertThat(view.get("/api/list?tag=a%3D" + "b".repeat(5_000)).statusCode())
                .isEqualTo(414);
    }

    @Test
    void about_tellsJournals() throws Exception {
        JsonNode about = JSON.readTree(view.get("/api/about").body());
        assertThat(about.get("journals").get(0).asString()).isEqualTo(journal().toString());
        assertThat(about.get("offline").asBoolean()).isFalse();
    }

    @Test
    void checkOfADamagedJournal_isAnAnswer(@TempDir Path own) throws Exception {
        Path damaged = own.resolve(".rlm");
        assertThat(rlm(damaged, "run", "--samples", "1").exitCode()).isZero();
        try (Stream<Path> folders = Files.list(damaged)) {
            Path events = folders.filter(Files::isDirectory)
                    .map(folder -> folder.resolve("events-1.jsonl"))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            Files.writeString(events, Files.readString(events).replaceFirst("\n\\{.*?\n", "\nnothing\n"));
        }
        try (RunningView server = RunningView.start(own, damaged.toString())) {
            HttpResponse<String> answer = server.get("/api/check");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(JSON.readTree(answer.body()).get("record").asString()).isEqualTo("incomplete");
        }
    }

    @Test
    void artifact_isGivenAway_asBytesAlone(@TempDir Path own) throws Exception {
        byte[] script = "<script>alert(1)</script>".getBytes(StandardCharsets.UTF_8);
        byte[] picture = "\u0089PNG\r\n and more".getBytes(StandardCharsets.ISO_8859_1);
        Path kept = own.resolve("journal");
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(kept).build())
                        .build();
                Run run = sinks.startRun(RunSpec.builder("shop").build())) {
            run.artifact("page.html", "text/html", script);
            run.artifact("dot.png", "image/jpeg", picture);
            run.complete("done");
        }
        try (RunningView server = RunningView.start(own, kept.toString())) {
            HttpResponse<String> page = server.get("/api/artifacts/" + sha256(script));
            assertThat(page.body()).isEqualTo(new String(script, StandardCharsets.UTF_8));
            assertThat(page.headers().map())
                    .containsEntry("content-type", List.of("application/octet-stream"))
                    .containsEntry("content-disposition", List.of("attachment"))
                    .containsEntry("content-security-policy", List.of("sandbox; default-src 'none'"))
                    .containsEntry("x-content-type-options", List.of("nosniff"));
            assertThat(server.get("/api/artifacts/" + sha256(picture)).headers().firstValue("content-type"))
                    .contains("image/png");

            assertThat(server.get("/api/artifacts/" + "0".repeat(64)).statusCode())
                    .isEqualTo(404);
            assertThat(server.get("/api/artifacts/..%2F..%2Flock").statusCode()).isEqualTo(400);
            Path file;
            try (Stream<Path> found = Files.find(kept, 3, (each, is) -> each.endsWith(sha256(script)))) {
                file = found.findFirst().orElseThrow();
            }
            Files.writeString(file, "other bytes");
            HttpResponse<String> other = server.get("/api/artifacts/" + sha256(script));
            assertThat(other.statusCode()).isEqualTo(500);
            assertThat(other.body()).contains("is damaged");
            Files.delete(file);
            Files.createSymbolicLink(file, Files.writeString(own.resolve("secret"), "<script>alert(1)</script>"));
            assertThat(server.get("/api/artifacts/" + sha256(script)).statusCode())
                    .isEqualTo(404);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    // ---- a file

    @ParameterizedTest
    @ValueSource(strings = {"", "--no-solved", "--solved --train-step 4", "--tag side=b --reward 0.5..1 --limit 3"})
    void file_isForItsUserAlone_withTheRunsThatWereChosen(String options, @TempDir Path own) throws Exception {
        Path file = own.resolve("runs.html");
        List<String> given = Stream.of(options.split(" ", -1))
                .filter(word -> !word.isEmpty())
                .toList();
        Cli written = rlm(Stream.concat(Stream.of("view", "--output", file.toString()), given.stream())
                .toArray(String[]::new));
        assertThat(written.exitCode()).as(written.err()).isZero();
        Cli listed =
                rlm(Stream.concat(Stream.of("list", "--json"), given.stream()).toArray(String[]::new));
        assertThat(written.out())
                .contains(": " + listed.out().lines().count() + " runs, ", "redacted or cut in 0 places");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        JsonNode answers = answers(file);
        assertThat(answers.get("list").asString()).isEqualTo(listed.out());
        String filters = String.join(" ", given).replaceFirst(" ?--limit \\d+", "");
        assertThat(answers.get("report").asString())
                .isEqualTo(
                        rlm(("report --json " + filters).strip().split(" ", -1)).out());
    }

    /** Returns the answers that a file holds. */
    private static JsonNode answers(Path file) throws IOException {
        Matcher data = Pattern.compile("id=\"data\">([^<]+)<").matcher(Files.readString(file));
        assertThat(data.find()).isTrue();
        try (InputStream packed =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(data.group(1))))) {
            return JSON.readTree(packed).get("answers");
        }
    }

    @Test
    void file_hasRunsOfAnyId(@TempDir Path own) throws Exception {
        Path odd = own.resolve("journal");
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(odd).build())
                        .build();
                Run run = sinks.startRun(
                        RunSpec.builder("shop").runId("a/b?c=d&e").build())) {
            run.complete("done");
        }
        Path file = own.resolve("runs.html");
        Cli written = Cli.with(Map.of(), "view", "--index", "none", "--output", file.toString(), odd.toString());
        assertThat(written.exitCode()).as(written.err()).isZero();
        assertThat(answers(file).get("show/a/b?c=d&e").asString())
                .isEqualTo(Cli.with(
                                Map.of("RLM_JSONL_DIR", odd.toString()),
                                "show",
                                "--index",
                                "none",
                                "--json",
                                "a/b?c=d&e")
                        .out());
    }

    @Test
    void file_thatCannotBe_isRefused(@TempDir Path own) throws Exception {
        Path file = Files.writeString(own.resolve("runs.html"), "mine");
        assertThat(rlm("view", "--output", file.toString()).err()).contains("is there already: expected a new file");
        assertThat(file).content().isEqualTo("mine");
        String other = own.resolve("other.html").toString();
        assertThat(rlm("view", "--output", other, "a", "b").err()).contains("a is no journal");
        assertThat(rlm("view", "--output", other, journal().toString(), own.toString())
                        .err())
                .contains("expected no more than one folder, not 2");
        assertThat(rlm("view", "--output", other, "--limit", "0").err()).contains("--limit must be at least 1, was 0");
        assertThat(rlm("view", "--output", other, "--outcome", "maybe").err()).contains("--outcome");
        assertThat(rlm("view", "--output", own.resolve("none/x.html").toString())
                        .err())
                .contains("cannot be written");
        assertThat(rlm("view", "--model", "large").err())
                .contains("--model chooses the runs of a file: expected --output FILE");
        assertThat(Path.of(other)).doesNotExist();
    }

    // ---- changes

    /** While runs are recorded, several pages ask at once; what they are told in the end is what the files tell. */
    @Tag("thorough")
    @Test
    void manyPages_areAnsweredAtOnce_whileTheJournalGrows(@TempDir Path own) throws Exception {
        List<String> questions = List.of(
                "/api/list?limit=3",
                "/api/list?sort=-reward&solved",
                "/api/report",
                "/api/report?phases",
                "/api/show/last",
                "/api/check",
                "/api/search/number?limit=2");
        Path recorded = own.resolve("journal");
        assertThat(rlm(recorded, "run", "--samples", "4").exitCode()).isZero();
        ExecutorService pages = Executors.newFixedThreadPool(questions.size());
        try (RunningView server = RunningView.start(Files.createDirectory(own.resolve("view")), recorded.toString())) {
            AtomicBoolean over = new AtomicBoolean();
            List<Future<Integer>> asked = questions.stream()
                    .map(question -> pages.submit(() -> {
                        int answers = 0;
                        while (!over.get() || answers == 0) {
                            HttpResponse<String> answer = server.get(question);
                            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                            answer.body().lines().forEach(JSON::readTree);
                            answers++;
                        }
                        return answers;
                    }))
                    .toList();
            for (int job = 0; job < 5; job++) {
                assertThat(rlm(recorded, "run", "--samples", "40", "--seed", "" + job)
                                .exitCode())
                        .isZero();
            }
            over.set(true);
            for (Future<Integer> each : asked) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isPositive();
            }
            for (String question : questions) {
                String command = question.substring("/api/".length()).replaceAll("[?&/]", " ");
                String[] arguments = Stream.of((command + " --json").split(" "))
                        .map(word -> word.matches("(limit|sort|solved|phases).*") ? "--" + word : word)
                        .toArray(String[]::new);
                String printed = rlm(recorded, arguments).out();
                await().atMost(Duration.ofSeconds(60)) // until the last change has been seen
                        .untilAsserted(
                                () -> assertThat(server.get(question).body()).isEqualTo(printed));
            }
        } finally {
            pages.shutdownNow();
        }
    }

    // ---- the command

    @Test
    void command_tellsItsLink_keepsItsToken_andEnds(@TempDir Path own) throws Exception {
        Path file = own.resolve("token");
        try (ServerSocket taken = new ServerSocket(0);
                RunningView server = RunningView.start(
                        own, "--token-file", file.toString(), journal().toString())) {
            server.rlm().await(() -> server.rlm().out().contains("Ctrl-C ends it"));
            assertThat(server.rlm().out()).doesNotContain(TOKEN).contains("the token in " + file);
            assertThat(file).content().isEqualToIgnoringNewLines(TOKEN);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            Cli refused =
                    rlm("view", "--port", "" + taken.getLocalPort(), journal().toString());
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err()).contains("--port");

            assertThat(server.rlm().stop()).isEqualTo(130);
            assertThat(file).doesNotExist();
        }
        assertThat(rlm("view", own.resolve("none").toString()).err()).contains("is no journal: expected a folder");
        assertThat(rlm("view", "--port", "70000").err()).contains("--port=70000 is not valid");
    }
}
