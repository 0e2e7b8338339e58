package dev.rlm.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Texts that would run as scripts, or load something, in every field and name of a run: no page does either. */
@Tag("thorough")
@Timeout(600)
class HostileTextsTest {
    private static final int IN_FILE = 50; // runs that are looked at there
    private static final String HIT = "window.hits++";

    /** Elements that count up, or ask another host, where they become a part of the page. */
    private static final List<String> ELEMENTS = List.of(
            "<script>%s</script>",
            "<img src=x onerror=%s>",
            "<svg onload=%s>",
            "<svg><script>%s</script></svg>",
            "<body onload=%s>",
            "<iframe srcdoc='<script>parent.%s</script>'></iframe>",
            "<iframe src='javascript:%s'></iframe>",
            "<a href='javascript:%s' autofocus onfocus=%s tabindex=0>x</a>",
            "<details open ontoggle=%s>x</details>",
            "<input autofocus onfocus=%s>",
            "<video><source onerror=%s></video>",
            "<math><mtext><img src=x onerror=%s></mtext></math>",
            "<object data='javascript:%s'></object>",
            "<embed src='javascript:%s'>",
            "<form><button formaction='javascript:%s'>x</button></form>",
            "<link rel=stylesheet href='http://evil.example/a.css'>",
            "<style>@import 'http://evil.example/b.css';</style>",
            "<img src='http://evil.example/c.png'>",
            "<meta http-equiv=refresh content='0;url=http://evil.example/'>",
            "<base href='http://evil.example/'>",
            "<template><script>%s</script></template>",
            "<noscript><p title='</noscript><img src=x onerror=%s>'></noscript>",
            "<style><img src='</style><img src=x onerror=%s>'></style>",
            "${%s}",
            "{{constructor.constructor('%s')()}}",
            "javascript:%s",
            "data:text/html,<script>parent.%s</script>",
            "![x](javascript:%s)",
            "[x](javascript:%s)",
            "__proto__");

    /** Texts that an element may stand in. */
    private static final List<String> PLACES = List.of(
            "%s",
            "'>%s",
            "\">%s",
            "</pre>%s",
            "</code></td></table>%s",
            "-->%s",
            "]]>%s",
            "`>%s",
            "\u0000\u202e%s",
            "</script>%s");

    @TempDir
    private Path journal;

    private static List<String> payloads() {
        List<String> payloads = new ArrayList<>();
        for (String element : ELEMENTS) {
            for (String place : PLACES) {
                payloads.add(place.replace("%s", element.replace("%s", HIT)));
            }
        }
        return payloads;
    }

    private static void record(Sinks sinks, String text, String id) {
        RunSpec spec = RunSpec.builder(text)
                .runId(id)
                .task(text)
                .model(text)
                .agent(text, text)
                .expectedAnswer(text)
                .param(text, text)
                .tag(text, text)
                .correlation(Correlation.builder()
                        .sample(text)
                        .rollout(text)
                        .invocation(text)
                        .experiment(text)
                        .policyVersion(text)
                        .split(text)
                        .build())
                .build();
        try (Run run = sinks.startRun(spec)) {
            run.metric(text, 1);
            try (Step step = run.startStep(text)) {
                step.action(text, text);
                step.state(text, text);
                step.tag(text, text);
                try (ModelCall call = step.startModelCall(text, text)) {
                    call.systemInstructions(text)
                            .message("user", text)
                            .message(text, text)
                            .parameter(text, text)
                            .reply(text)
                            .toolRequest(text, text, text)
                            .response(text, text)
                            .finishReason(text);
                }
                try (ToolCall call = step.startToolCall(text)) {
                    call.arguments(text).callId(text).attribute(text, text).document(text, 1.0, null);
                    call.fail(500, text);
                }
                step.reward(text, 0.5, List.of(new RewardComponent(text, 1, 0.5, text)));
                step.rewardAbsent(text, text);
                step.fail(text, text);
            }
            run.artifact(text, "text/plain", text.getBytes(StandardCharsets.UTF_8));
            run.fail(new IllegalStateException(text));
        }
    }

    @Test
    void texts_areShownAsTexts(@TempDir Path folder) throws Exception {
        List<String> payloads = payloads();
        assertThat(payloads).hasSizeGreaterThanOrEqualTo(300);
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .build()) {
            for (int i = 0; i < payloads.size(); i++) {
                record(sinks, payloads.get(i), "run-" + i);
                assertThat(sinks.awaitRoom(Duration.ofSeconds(60))).isTrue();
            }
        }
        try (Site site = new Site(journal);
                Page page = site.open()) {
            for (String path : List.of(
                    "/",
                    "/runs?limit=500",
                    "/groups?limit=500",
                    "/compare",
                    "/training?x-axis=policy-version",
                    "/training?view=table",
                    "/training?view=checkpoints",
                    "/rewards",
                    "/tools",
                    "/time",
                    "/findings",
                    "/record",
                    "/search?q=hits")) {
                look(site, page, path);
            }
            List<String> views = List.of("Steps", "Time", "Tools", "Rewards", "Tokens", "Artifacts", "Events");
            for (int i = 0; i < payloads.size(); i++) {
                String run = "run-" + i;
                goOn(page, "/runs/" + run);
                page.waitForFunction("run => document.querySelector('main h1 .note')?.textContent.trim() === run", run);
                check(page, run);
                goOn(page, "/runs/" + run + "?text=markdown");
                page.waitForSelector("main .markdown");
                page.waitForFunction(
                        "() => [...document.querySelectorAll('main .markdown')].every(each => each.childNodes.length)");
                check(page, run + " as Markdown");
                String view = views.get(i % views.size());
                goOn(page, "/runs/" + run + "?view=" + view.toLowerCase(Locale.ROOT));
                page.waitForSelector("main .tabs a[aria-current]:text-is('" + view + "')");
                check(page, run + " " + view);
            }
            page.context().close();
            site.write(folder.resolve("runs.html"));
            try (Page alone = site.openFile(folder.resolve("runs.html"))) {
                for (int i = payloads.size() - 1; i >= payloads.size() - IN_FILE; i--) {
                    String run = "run-" + i;
                    alone.evaluate("run => { location.hash = encodeURIComponent('/runs/' + run) }", run);
                    alone.waitForFunction(
                            "run => document.querySelector('main h1 .note')?.textContent.trim() === run", run);
                    check(alone, run + " in a file");
                }
                alone.context().close();
            }
            assertThat(site.problems()).isEmpty();
        }
    }

    private static void look(Site site, Page page, String path) {
        site.go(page, path);
        check(page, path);
    }

    /** Goes to another page as a link does, without loading all again. */
    private static void goOn(Page page, String path) {
        page.evaluate(
                "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')) }", path);
    }

    private static void check(Page page, String path) {
        assertThat(page.evaluate("() => window.hits")).as(path).isEqualTo(0);
        assertThat(page.locator(
                                "main script, main iframe, main img, main object, main embed, main base, main link, main style, [onerror], [onload]")
                        .count())
                .as(path)
                .isZero();
    }
}
