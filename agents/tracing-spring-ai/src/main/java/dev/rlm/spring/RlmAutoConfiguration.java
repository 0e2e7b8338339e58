package dev.rlm.spring;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.traced.AgentRuns;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.ai.chat.client.observation.ChatClientObservationContext;
import org.springframework.ai.tool.execution.ToolExecutionExceptionProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;

/**
 * Records the agents of an application that is built on Spring AI: a hub of sinks by the variables and properties of its environment ({@code
 * RLM_JSONL_DIR} or {@code rlm.jsonl.dir}), what is observed of agents, the health and the counts of sinks. A bean of the same type takes
 * the place of each.
 */
@AutoConfiguration(afterName = RlmAutoConfiguration.OBSERVATION)
@ConditionalOnClass(ChatClientObservationContext.class)
@ConditionalOnProperty(name = "rlm.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RlmProperties.class)
public class RlmAutoConfiguration {
    /** Spring Boot's own configuration of observations, which adds each handler to each registry. */
    static final String OBSERVATION =
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration";

    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.spring");

    /** For Spring. */
    public RlmAutoConfiguration() {}

    /** Returns the hub; it is closed with the application, after all that records in it. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    public Sinks rlmSinks(ConfigurableEnvironment environment) {
        Map<String, String> variables = new HashMap<>();
        environment.getPropertySources().stream()
                .filter(EnumerablePropertySource.class::isInstance)
                .flatMap(source -> List.of(((EnumerablePropertySource<?>) source).getPropertyNames()).stream())
                .filter(name -> name.matches("(?i)(rlm|otel)[._-].*"))
                .forEach(name -> {
                    String value = environment.getProperty(name);
                    if (value != null) {
                        variables.putIfAbsent(name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_"), value);
                    }
                });
        return Sinks.builder().config(SinkConfig.of(variables)).build();
    }

    /** Returns the runs of agents. */
    @Bean
    @ConditionalOnMissingBean
    public AgentRuns rlmAgentRuns(Sinks sinks, RlmProperties properties, ObjectProvider<CurrentTrace> trace) {
        AgentRuns runs = AgentRuns.in(sinks).share(properties.agentShare());
        CurrentTrace current = trace.getIfAvailable();
        return current == null ? runs : runs.parent(current::context);
    }

    /** Returns what listens to agents. */
    @Bean
    @ConditionalOnMissingBean
    public AgentObservationHandler rlmAgentObservationHandler(AgentRuns runs, Environment environment) {
        return new AgentObservationHandler(runs, environment.getProperty("spring.application.name", "agent"));
    }

    /** Returns what has the record told of tools that fail. */
    @Bean
    public static BeanPostProcessor rlmToolFailures() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof ToolExecutionExceptionProcessor processor
                        ? AgentObservationHandler.failures(processor)
                        : bean;
            }
        };
    }

    /** Returns what tells the log where no agent can be recorded. */
    @Bean
    public static SmartInitializingSingleton rlmObservationCheck(ObjectProvider<ObservationRegistry> registries) {
        return () -> {
            if (registries.getIfUnique(() -> ObservationRegistry.NOOP).isNoop()) {
                LOG.warn("agents are not recorded: Spring AI tells of them by the only or primary bean of the type"
                        + " ObservationRegistry, and here there are several or it has no handlers");
            }
        };
    }

    /** Returns what makes runs of the methods that are annotated. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    public static RecordedRunAdvisor rlmRecordedRunAdvisor(ObjectProvider<AgentRuns> runs) {
        return new RecordedRunAdvisor(runs);
    }

    /** Configuration of an application without Spring Boot's own of observations, as the starters of Spring AI make it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(type = OBSERVATION)
    public static class Observations {
        /** For Spring. */
        public Observations() {}

        /** Returns what Spring AI tells of its clients, models and tools. */
        @Bean
        @ConditionalOnMissingBean
        public ObservationRegistry rlmObservationRegistry() {
            return ObservationRegistry.create();
        }

        /** Returns what has the record told by the application's registry. */
        @Bean
        public static BeanPostProcessor rlmObservations(ObjectProvider<AgentObservationHandler> handlers) {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof ObservationRegistry registry) {
                        handlers.forEach(registry.observationConfig()::observationHandler);
                    }
                    return bean;
                }
            };
        }
    }

    /** The trace that is current where a run begins. */
    @FunctionalInterface
    public interface CurrentTrace {
        /** Returns its context; {@link TraceContext#NONE} where there is none. */
        TraceContext context();
    }

    /** Configuration of an application that has Micrometer Tracing. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    public static class Tracing {
        /** For Spring. */
        public Tracing() {}

        /** Returns the span of the caller. */
        @Bean
        @ConditionalOnMissingBean
        public CurrentTrace rlmCurrentTrace(ObjectProvider<Tracer> tracers) {
            return () -> {
                Tracer tracer = tracers.getIfAvailable();
                Span span = tracer == null ? null : tracer.currentSpan();
                return span == null || span.isNoop()
                        ? TraceContext.NONE
                        : new TraceContext(
                                "00-" + span.context().traceId() + "-"
                                        + span.context().spanId() + "-"
                                        + (Boolean.FALSE.equals(span.context().sampled()) ? "00" : "01"),
                                null,
                                null);
            };
        }
    }

    /** Configuration of an application that has health indicators. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    public static class SinkHealth {
        /** For Spring. */
        public SinkHealth() {}

        /** Returns the health: down where a sink is not available, or has lost something. */
        @Bean
        @ConditionalOnMissingBean(name = "rlmHealthIndicator")
        public HealthIndicator rlmHealthIndicator(Sinks sinks) {
            return () -> {
                List<SinkStatus> enabled =
                        sinks.statuses().stream().filter(SinkStatus::enabled).toList();
                Health.Builder health = new Health.Builder();
                if (enabled.stream()
                        .allMatch(sink -> sink.available() && sink.ledger().lost() == 0)) {
                    health.up();
                } else {
                    health.down();
                }
                enabled.forEach(sink -> health.withDetail(
                        sink.name(),
                        Map.of(
                                "available", sink.available(),
                                "detail", sink.detail(),
                                "offered", sink.ledger().offered(),
                                "delivered", sink.ledger().delivered(),
                                "lost", sink.ledger().lost(),
                                "queued", sink.ledger().queued())));
                return health.build();
            };
        }
    }

    /** Configuration of an application that has Micrometer's meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    public static class SinkMeters {
        /** For Spring. */
        public SinkMeters() {}

        /** Returns the counts of each sink's ledger. */
        @Bean
        @ConditionalOnMissingBean(name = "rlmMeters")
        public MeterBinder rlmMeters(Sinks sinks) {
            return registry -> sinks.statuses().stream()
                    .filter(SinkStatus::enabled)
                    .map(SinkStatus::name)
                    .forEach(name -> {
                        count(
                                registry,
                                sinks,
                                name,
                                "offered",
                                sink -> sink.ledger().offered());
                        count(
                                registry,
                                sinks,
                                name,
                                "delivered",
                                sink -> sink.ledger().delivered());
                        count(
                                registry,
                                sinks,
                                name,
                                "lost",
                                sink -> sink.ledger().lost());
                        Gauge.builder(
                                        "rlm.sink.queued",
                                        sinks,
                                        hub -> of(
                                                hub, name, sink -> sink.ledger().queued()))
                                .tag("sink", name)
                                .description("Events on their way to a sink")
                                .register(registry);
                    });
        }

        private static void count(
                MeterRegistry registry, Sinks sinks, String name, String what, ToDoubleFunction<SinkStatus> figure) {
            FunctionCounter.builder("rlm.sink." + what, sinks, hub -> of(hub, name, figure))
                    .tag("sink", name)
                    .description("Events that a sink was offered, has delivered or has lost")
                    .register(registry);
        }

        private static double of(Sinks sinks, String name, ToDoubleFunction<SinkStatus> figure) {
            return sinks.statuses().stream()
                    .filter(sink -> sink.name().equals(name))
                    .mapToDouble(figure)
                    .sum();
        }
    }
}
