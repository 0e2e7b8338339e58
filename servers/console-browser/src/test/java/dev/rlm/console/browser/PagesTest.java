package dev.rlm.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every page: what it shows, that all can use it, and that it fails in nothing. */
@Timeout(300)
@Tag("thorough")
class PagesTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int NARROW = 320;
    private static final int LONG = 1_200; // steps
    private static final int WINDOW = 500; // of them on a page

    @TempDir
    private static Path journal;

    @SuppressWarnings("NullAway.Init") // set before each test
    private static Site site;

    @BeforeAll
    static void start() {
        Recorded.into(journal);
        site = new Site(journal);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        site.close();
    }

    private static List<JsonNode> runs(String... options) {
        return site.printed(Stream.concat(Stream.of("list", "--json"), Stream.of(options))
                        .toArray(String[]::new))
                .lines()
                .map(JSON::readTree)
                .toList();
    }

    private static String run() {
        return runs("--limit", "1").get(0).get("run_id").asString();
    }

    static Stream<String> pages() {
        String run = "/runs/" + run();
        return Stream.concat(
                Stream.of("conversation", "steps", "time", "tools", "rewards", "tokens", "events")
                        .map(view -> run + "?view=" + view),
                Stream.of(
                        "/",
                        "/runs",
                        "/runs?outcome=failed",
                        "/runs?reward=100..200",
                        "/runs?peek=" + Recorded.AGENT,
                        "/groups",
                        "/groups/"
                                + runs("--limit", "1").get(0).get("sample_id").asString(),
                        "/compare",
                        "/compare?tag=side%3Db&against=tag%3Dside%3Da",
                        "/training",
                        "/training?view=table",
                        "/training?view=health",
                        "/training?view=checkpoints",
                        "/rewards",
                        "/tools",
                        "/time",
                        "/findings",
                        "/record",
                        "/runs/" + Recorded.AGENT + "?text=markdown",
                        "/runs/" + Recorded.AGENT + "?view=artifacts",
                        "/compare?run=" + run.substring("/runs/".length()) + "&run=" + Recorded.AGENT,
                        "/search",
                        "/search?q=many"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void page_showsWithoutAFault_toAll_inBothColors(String path) throws IOException {
        for (ColorScheme colors : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            try (Page page = site.open(colors, 1400)) {
                site.go(page, path);
                assertThat(page.locator("main h1").innerText()).isNotEmpty();
                assertThat(page.locator("main .command").count() > 0)
                        .as("a command to copy")
                        .isEqualTo(!path.equals("/search")); // for which a text is wanted
                assertThat(violations(page)).as(colors.toString()).isEmpty();
                page.context().close();
            }
        }
        assertThat(site.problems()).isEmpty();
    }

    /** Returns the violations of WCAG 2.2 A and AA that axe finds. */
    private static List<String> violations(Page page) throws IOException {
        try (InputStream script = Objects.requireNonNull(PagesTest.class.getResourceAsStream("/axe.min.js"))) {
            page.evaluate(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
        Object found = page.evaluate(
                "async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}))"
                        + ".violations.map(each => each.id + ': ' + each.nodes.map(node => node.html).slice(0, 3).join(' '))");
        return ((List<?>) Objects.requireNonNull(found))
                .stream().map(String::valueOf).toList();
    }

    /** Elements that reach beyond a width, but for those in one that scrolls. */
    private static final String WIDER = """
            width => [...document.body.querySelectorAll('*')]
              .filter(each => each.getBoundingClientRect().right > width && !each.closest('.scroll'))
              .map(each => each.outerHTML.slice(0, 120))
            """;

    @ParameterizedTest
    @MethodSource("pages")
    void page_fitsANarrowWindow(String path) {
        try (Page page = site.open(ColorScheme.LIGHT, NARROW)) {
            site.go(page, path);
            assertThat(page.evaluate("() => document.documentElement.scrollWidth"))
                    .as("wider are %s", page.evaluate(WIDER, NARROW))
                    .isEqualTo(NARROW);
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "outcome=failed",
                "sort=-reward",
                "sort=steps&train-step=2",
                "tag=side%3Da&outcome=completed",
                "reward=0.5..1"
            })
    void runs_areThoseOfTheCommand_withItsFigures(String query) {
        try (Page page = site.open()) {
            site.go(page, "/runs" + (query.isEmpty() ? "" : "?" + query));
            String[] options = Stream.of(query.split("&"))
                    .filter(option -> !option.isEmpty())
                    .map(option -> "--" + option.replace("%3D", "="))
                    .toArray(String[]::new);
            List<JsonNode> listed = new ArrayList<>(runs(options));
            if (!query.contains("sort=")) {
                Collections.reverse(listed); // the latest first
            }
            assertThat(column(page, "run"))
                    .isNotEmpty()
                    .isEqualTo(listed.stream()
                            .map(run -> run.get("run_id").asString())
                            .toList());
            assertThat(column(page, "reward"))
                    .isEqualTo(listed.stream()
                            .map(run -> run.has("total_reward")
                                    ? String.format(
                                            Locale.ROOT,
                                            "%.3f",
                                            run.get("total_reward").asDouble())
                                    : "–")
                            .toList());
            assertThat(column(page, "steps"))
                    .isEqualTo(listed.stream()
                            .map(run -> run.get("steps").asString())
                            .toList());
            if (query.equals("outcome=failed")) {
                assertThat(column(page, "failure"))
                        .doesNotContain("")
                        .isEqualTo(listed.stream()
                                .map(run -> run.get("failure").asString().replaceFirst("^.*[.$]", ""))
                                .toList());
            }
            String command = page.locator("main .command code").first().innerText();
            assertThat(command).startsWith("rlm list");
            assertThat(options).allMatch(option -> command.contains(option.replaceFirst("=", " ")));
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    private static List<String> column(Page page, String title) {
        List<String> titles = page.locator("main thead th").allInnerTexts();
        int place = titles.stream()
                .map(each -> each.replaceAll(" [▴▾]", ""))
                .toList()
                .indexOf(title);
        return page.locator("main tbody tr td:nth-child(" + (place + 1) + ")").allInnerTexts();
    }

    @Tag("smoke")
    @Test
    void overview_tellsTheFiguresOfTheReport() {
        JsonNode all = JSON.readTree(site.printed("report", "--json")).get("all");
        try (Page page = site.open()) {
            site.go(page, "/");
            assertThat(page.locator("main .figures").innerText().replace("\n", " "))
                    .contains("runs " + all.get("runs").asLong() + " of "
                            + all.get("samples").asLong() + " samples")
                    .contains(String.format(
                            Locale.ROOT,
                            "solved %.3f ± %.3f",
                            all.get("solved_rate").asDouble(),
                            all.get("solved_rate_se").asDouble()))
                    .contains(String.format(
                            Locale.ROOT,
                            "mean reward %.3f ± %.3f",
                            all.get("mean_reward").asDouble(),
                            all.get("mean_reward_se").asDouble()));
            assertThat(page.locator("header .state").innerText())
                    .contains(
                            "live",
                            JSON.readTree(site.printed("check", "--json"))
                                    .get("statement")
                                    .asString());
            page.context().close();
        }
    }

    /** From the first page to a step of a run, to the next run, and to a search: by keys alone. */
    @Test
    void keys_areEnough() {
        try (Page page = site.open()) {
            site.go(page, "/");
            page.keyboard().press("2");
            page.waitForURL("**/runs");
            page.waitForSelector("main h1:text-is('Runs')"); // the first page has rows too
            Site.settle(page);
            page.keyboard().press("j");
            page.keyboard().press("j");
            String second =
                    page.evaluate("() => document.activeElement.textContent").toString();
            assertThat(second).isEqualTo(column(page, "run").get(1));
            page.keyboard().press("Enter");
            page.waitForURL("**/runs/" + second + "*");
            Site.settle(page);
            page.keyboard().press("g");
            page.keyboard().press("1");
            page.keyboard().press("Enter");
            page.waitForURL("**/runs/" + second + "*#step-1");
            page.waitForSelector("[data-previous]"); // once the list is there
            page.keyboard().press("h");
            page.waitForURL(
                    "**/runs/" + runs("--limit", "1").get(0).get("run_id").asString() + "*");
            Site.settle(page);
            page.keyboard().press("u");
            page.waitForURL("**/runs");
            Site.settle(page);
            page.goBack();
            page.waitForURL("**/runs/*");
            Site.settle(page);

            page.keyboard().press("?");
            assertThat(page.locator("dialog").innerText()).contains("next, previous row");
            page.keyboard().press("Escape");
            page.waitForFunction("() => !document.querySelector('dialog')");
            page.keyboard().press("/");
            page.waitForURL("**/search");
            page.waitForFunction("() => document.activeElement.id === 'q'");
            page.keyboard().type("many");
            page.keyboard().press("Enter");
            page.waitForURL("**/search?q=many");
            Site.settle(page);
            assertThat(page.locator("main mark").count()).isPositive();
            page.keyboard().type("2"); // in a field
            assertThat(page.url()).endsWith("/search?q=many");
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    /** A key that closes it may follow at once. */
    @Test
    void helpOfKeys_isOpenAsSoonAsItIsThere() {
        try (Page page = site.open()) {
            site.go(page, "/");
            Object open = page.evaluate("""
                    () => new Promise(done => {
                      new MutationObserver((changes, observer) => {
                        const dialog = document.querySelector('dialog')
                        if (dialog) { observer.disconnect(); done(dialog.open) }
                      }).observe(document.body, {childList: true, subtree: true})
                      document.dispatchEvent(new KeyboardEvent('keydown', {key: '?'}))
                    })
                    """);
            assertThat(open).isEqualTo(true);
            page.context().close();
        }
    }

    @Test
    void markdown_isShownAsElements_andPicturesAreThere() {
        try (Page page = site.open()) {
            site.go(page, "/runs/" + Recorded.AGENT);
            assertThat(page.locator("main .turn strong").count()).isZero();
            page.keyboard().press("m");
            page.waitForSelector("main .turn strong:text-is('one')");
            assertThat(page.locator("main .turn a[href='https://shop.example/']")
                            .first()
                            .getAttribute("rel"))
                    .isEqualTo("noopener noreferrer");
            assertThat(page.locator("main .turn h1").count()).isZero();
            site.go(page, "/runs/" + Recorded.AGENT + "?view=artifacts");
            page.waitForFunction("() => document.querySelector('main img').naturalWidth === 1");
            assertThat(page.locator("main .artifacts").innerText()).contains("receipt <b>.txt", "text/plain · 4 bytes");
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    @Test
    void runsThatAreMarked_areComparedByAKey_andColorsAreChosen() {
        try (Page page = site.open()) {
            site.go(page, "/runs");
            for (int row = 0; row < 2; row++) {
                page.keyboard().press("j");
                page.keyboard().press("v");
            }
            page.waitForFunction("() => document.querySelectorAll('main tr.marked').length === 2");
            page.keyboard().press("V");
            page.waitForURL("**/compare?run=*&run=*");
            page.waitForSelector("main .sides");
            page.keyboard().press("t");
            assertThat(page.evaluate("() => document.documentElement.dataset.theme"))
                    .isEqualTo("dark");
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    @Test
    void keys_showARunBesideTheList_andLeadToItsEnds() {
        try (Page page = site.open()) {
            site.go(page, "/runs");
            page.keyboard().press("G");
            List<String> shown = column(page, "run");
            assertThat(page.evaluate("() => document.activeElement.textContent"))
                    .isEqualTo(shown.get(shown.size() - 1));
            page.keyboard().type("gg");
            assertThat(page.evaluate("() => document.activeElement.textContent"))
                    .isEqualTo(shown.get(0));
            page.keyboard().press(" ");
            page.waitForURL("**/runs?peek=" + shown.get(0));
            page.waitForSelector("aside:has-text('" + shown.get(0) + "') .text");
            page.reload();
            page.waitForSelector("aside:has-text('" + shown.get(0) + "') .text");
            page.keyboard().press("j");
            page.keyboard().press(" ");
            page.keyboard().press("j");
            page.keyboard().press(" ");
            page.waitForURL("**/runs?peek=" + shown.get(1));
            page.keyboard().press(" ");
            page.waitForURL("**/runs");
            page.waitForFunction("() => !document.querySelector('aside')");
            page.keyboard().press("w");
            assertThat(page.evaluate("() => document.documentElement.className"))
                    .isEqualTo("unwrapped");
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    /** An agent that repeats itself is found from the first page: the findings, the first of them, the step that it cites. */
    @Test
    void threeKeys_leadToTheStepOfAFault() {
        try (Page page = site.open()) {
            site.go(page, "/");
            page.keyboard().press("9");
            page.waitForURL("**/findings");
            page.waitForSelector("main h1:text-is('Findings')"); // the first page has rows too
            page.waitForSelector("main [data-row]");
            page.keyboard().press("j");
            page.keyboard().press("Enter");
            page.waitForURL("**/runs/" + Recorded.AGENT + "#step-*");
            page.waitForSelector("main .turn:target, main .turn[id^=step-]");
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    @Test
    void differences_areMarkedWordByWord() {
        try (Page page = site.open()) {
            Object parts = page.evaluate("""
                    async () => {
                        const {wordDiff} = await import('/static/format.js')
                        const text = sides => sides.map(parts => parts.map(([text, differs]) => differs ? `<${text}>` : text).join(''))
                        return JSON.stringify([
                            wordDiff('48 + 24 = 72 clips', '48 * 24 = 1152 clips'), wordDiff('same', 'same'), wordDiff('', 'new'),
                            wordDiff('a '.repeat(500), 'a '.repeat(499) + 'b ')].map(text).map(sides => sides.map(side => side.slice(0, 40))))
                    }
                    """);
            assertThat(parts)
                    .isEqualTo(
                            "[[\"48 <+> 24 = <72> clips\",\"48 <*> 24 = <1152> clips\"],[\"same\",\"same\"],[\"\",\"<new>\"],"
                                    + "[\"<" + "a ".repeat(19) + "a\",\"<" + "a ".repeat(19) + "a\"]]");
            String solved =
                    runs("--solved", "--limit", "1").get(0).get("run_id").asString(); // it has an answer
            site.go(page, "/compare?run=" + solved + "&run=" + Recorded.AGENT);
            page.waitForSelector("main .answers mark");
            page.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    @Test
    void longRun_showsAnyStep_andNeverAll(@TempDir Path own) throws Exception {
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(own).build())
                        .build();
                Run run = sinks.startRun(RunSpec.builder("maze").runId("long").build())) {
            for (int number = 1; number <= LONG; number++) {
                try (Step step = run.startStep("here")) {
                    step.action("go", "go(" + number + ")");
                    step.complete("there " + number);
                }
            }
            run.complete("out");
        }
        try (Site other = new Site(own);
                Page page = other.open()) {
            for (String view : List.of("conversation", "steps")) {
                other.go(page, "/runs/long?view=" + view + "#step-1000");
                page.waitForSelector("#step-1000");
                assertThat(page.locator("main [id^=step-]").count()).isEqualTo(WINDOW);
                assertThat(page.locator("main .outline li").count()).isEqualTo(LONG);
                page.keyboard().type("g3");
                page.keyboard().press("Enter");
                page.waitForSelector("#step-3");
                page.locator("main a:has-text('later steps')").click();
                page.waitForSelector("#step-600");
            }
            page.context().close();
            assertThat(other.problems()).isEmpty();
        }
    }

    /** Each page of the file shows what the server's shows, and asks nobody. */
    @Test
    void file_showsTheSame_withoutAServer(@TempDir Path folder) {
        Path file = folder.resolve("runs.html");
        assertThat(site.write(file)).contains("runs.html: " + runs().size() + " runs");
        String run = runs("--limit", "1").get(0).get("run_id").asString();
        String sample = runs("--split", "validation").get(0).get("sample_id").asString();
        List<String> same = List.of(
                "/",
                "/runs",
                "/runs?sort=-reward",
                "/runs?outcome=failed",
                "/runs/" + run,
                "/runs/" + run + "?view=steps",
                "/runs/" + Recorded.AGENT + "?text=markdown",
                "/groups",
                "/groups/" + sample,
                "/training",
                "/training?view=health",
                "/training?view=checkpoints",
                "/training?view=table",
                "/rewards",
                "/tools",
                "/time",
                "/findings",
                "/record");
        try (Page served = site.open();
                Page alone = site.openFile(file)) {
            for (String path : same) {
                site.go(served, path);
                alone.evaluate("path => { location.hash = encodeURIComponent(path) }", path);
                alone.waitForFunction("path => decodeURIComponent(location.hash.slice(1)) === path", path);
                Site.settle(alone);
                assertThat(tables(alone)).as(path).isEqualTo(tables(served));
                assertThat(alone.locator("main .problem:has-text('not in this file')")
                                .count())
                        .as(path)
                        .isZero();
            }
            served.context().close();
            alone.context().close();
        }
        assertThat(site.problems()).isEmpty();
    }

    /** Returns what a page shows in figures, tables and texts. */
    private static List<String> tables(Page page) {
        return page.locator("main h1, main .figures, main table, main .turn, main .step")
                .allInnerTexts();
    }

    @Test
    void run_isSeenWhileItRuns_andHowItEnded(@TempDir Path live) throws Exception {
        Files.createDirectory(live.resolve("journal"));
        try (Site own = new Site(live.resolve("journal"));
                Page page = own.open()) {
            own.go(page, "/runs");
            assertThat(page.locator("main .empty").innerText()).contains("there is no journal", "rlm run");
            Thread running = new Thread(
                    () -> Site.rlm(live.resolve("journal"), "run", "--samples=1", "--rollouts=1", "--latency=1s"));
            running.start();
            page.waitForSelector("main td:has-text('running')");
            page.locator("main [data-row]").first().click();
            page.waitForSelector("main .turn");
            page.waitForSelector("main .figures:has-text('running')");
            page.waitForSelector("main .figures:has-text('completed')");
            running.join();
            page.context().close();
            assertThat(own.problems())
                    .allMatch(problem -> problem.contains("status of 400")); // while there was no journal
        }
    }
}
