-- compatible from: 0005
-- Which run of its job has claimed a service task: the count of retries. A process that was paused before it claimed its
-- job's task, and goes on when another one has the job, must not take the task away from it.
alter table waybill.service_tasks add column claimed_by_retry integer not null default 0;
