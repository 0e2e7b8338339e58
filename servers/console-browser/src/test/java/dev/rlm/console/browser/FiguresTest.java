package dev.rlm.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Figures of pages, held against those that the commands print, over random filters. */
@Timeout(1_800)
@Tag("thorough")
class FiguresTest {
    private static final int FILTERS = Integer.getInteger("rlm.test.filters", 20);

    private static final List<Filter> ALL = List.of(
            new Filter("env", "calc", "shop", "none"),
            new Filter("outcome", "completed", "failed", "running"),
            new Filter("split", "train", "validation"),
            new Filter("train-step", "1", "2", "2..3", "3.."),
            new Filter("policy-version", "v1", "v2", "v3"),
            new Filter("reward", "..0.5", "0.5..", "-1..1", "1..1"),
            new Filter("steps", "1", "2..3", "2.."),
            new Filter("tag", "side=a", "side=b"),
            new Filter("tool", "look", "calculate"),
            new Filter("solved", "true", "false"));

    private static final List<Table> TABLES = List.of(
            new Table(
                    "runs",
                    "list --limit 100",
                    "lines.reverse()",
                    "{reward: run => f.number(run.total_reward), steps: run => run.steps, duration: run => f.nanos(run.duration_nanos)}"),
            new Table(
                    "groups",
                    "list --by sample --sort solved-rate --limit 200",
                    "lines",
                    "{solved: group => `${group.solved} of ${group.decided}`, 'mean reward': group => f.number(group.mean_reward), steps: group => f.number(group.mean_steps, 1)}"),
            new Table(
                    "tools",
                    "report --by tool",
                    "lines[0].tools",
                    "{calls: tool => f.count(tool.calls), failed: tool => f.unlessZero(tool.failed), 'error rate': tool => f.percent(tool.error_rate),"
                            + " runs: tool => f.count(tool.runs), p50: tool => f.duration(tool.p50), p95: tool => f.duration(tool.p95)}"),
            new Table(
                    "tools",
                    "[aria-label='failed calls'] table",
                    "report --failed-tools",
                    "lines[0].latest",
                    "{step: call => call.step, tool: call => f.brief(call.tool, 50), arguments: call => f.brief(call.arguments, 200), error: call => f.brief(call.error, 200)}"),
            new Table(
                    "rewards",
                    "report --rewards",
                    "lines[0].all.rewards",
                    "{given: each => f.count(each.given), absent: each => f.unlessZero(each.absent), mean: each => f.number(each.mean),"
                            + " spread: each => f.number(each.standard_deviation), correlation: each => f.signed(each.correlation)}"),
            new Table(
                    "time",
                    "report --phases",
                    "lines[0].all.phases",
                    "{count: phase => f.unlessZero(phase.count), 'own time': phase => f.duration(phase.own), 'own share': phase => f.percent(phase.own_share),"
                            + " p50: phase => f.duration(phase.p50), max: phase => f.duration(phase.max)}"));

    private record Filter(String name, List<String> values) {
        Filter(String name, String... values) {
            this(name, List.of(values));
        }
    }

    /**
     * A table of a page.
     *
     * @param place where it stands; the first table unless said
     * @param rows where its rows stand in what the command prints
     * @param cells its columns with figures, and how a cell is made of a row
     */
    private record Table(String page, String place, String command, String rows, String cells) {
        Table(String page, String command, String rows, String cells) {
            this(page, "main table", command, rows, cells);
        }
    }

    /** Returns what the page and the command differ in: a column that is not shown has nothing in any row. */
    private static final String DIFFERENCES = """
            async ({page, printed}) => {
              const f = await import('/static/format.js')
              const lines = printed.split('\\n').filter(line => line).map(line => JSON.parse(line))
              const rows = ROWS
              const table = document.querySelector(`PLACE`)
              if (!rows.length) return table && page !== 'time' ? ['a table without rows'] : []
              const titles = [...table.querySelectorAll('thead th')].map(each => each.textContent.trim().replace(/ [▴▾]$/, ''))
              const shown = [...table.querySelectorAll('tbody tr')]
              const differences = shown.length === rows.length ? [] : [`${shown.length} rows, not ${rows.length}`]
              for (const [title, cell] of Object.entries(CELLS)) {
                const column = titles.indexOf(title)
                rows.forEach((row, i) => {
                  const wanted = String(cell(row) ?? ''), found = column < 0 ? '–' : shown[i]?.children[column].textContent.trim()
                  if ((wanted === '' ? '–' : wanted) !== (found === '' ? '–' : found)) differences.push(`${title} of row ${i}: ${found}, not ${wanted}`)
                })
              }
              return differences
            }
            """;

    @Test
    void figures_areThoseOfTheCommands(@TempDir Path journal) throws Exception {
        Recorded.into(journal);
        Random random = new Random(7);
        try (Site site = new Site(journal);
                Page page = site.open()) {
            for (int number = 0; number < FILTERS; number++) {
                Map<String, String> filters = filters(random);
                for (Table table : TABLES) {
                    check(site, page, table, filters);
                }
            }
            page.context().close();
            assertThat(site.problems()).isEmpty();
        }
    }

    private static Map<String, String> filters(Random random) {
        Map<String, String> filters = new LinkedHashMap<>();
        for (int left = random.nextInt(4); left > 0; left--) {
            Filter filter = ALL.get(random.nextInt(ALL.size()));
            filters.put(
                    filter.name(),
                    filter.values().get(random.nextInt(filter.values().size())));
        }
        return filters;
    }

    private static String option(String name, String value) {
        return switch (value) {
            case "true" -> "--" + name;
            case "false" -> "--no-" + name;
            default -> "--" + name + "=" + value;
        };
    }

    private static void check(Site site, Page page, Table table, Map<String, String> filters) {
        List<String> command = new ArrayList<>(List.of((table.command() + " --json").split(" ", -1)));
        filters.forEach((name, value) -> command.add(option(name, value)));
        String printed = site.printed(command.toArray(String[]::new));
        String query = filters.entrySet().stream()
                .map(filter -> filter.getKey() + "=" + filter.getValue().replace("=", "%3D"))
                .collect(Collectors.joining("&"));
        site.go(page, "/" + table.page() + "?" + query);
        String script = DIFFERENCES
                .replace("PLACE", table.place())
                .replace("ROWS", table.rows())
                .replace("CELLS", table.cells());
        assertThat((List<?>) page.evaluate(script, Map.of("page", table.page(), "printed", printed)))
                .as(table.page() + " " + filters)
                .isEmpty();
    }
}
