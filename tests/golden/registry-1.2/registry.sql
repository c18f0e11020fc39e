BEGIN TRANSACTION;
CREATE TABLE assignments (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	pack_id VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	list VARCHAR NOT NULL, 
	"order" VARCHAR NOT NULL, 
	assigned_utc VARCHAR NOT NULL, 
	accept_side VARCHAR, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "assignments" VALUES(1,'ZMXCWYH','accept_reject','p1','main','rig-1','l1','with_first','2026-01-02T09:00:03.000000Z','left');
CREATE TABLE consents (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	session VARCHAR(120), 
	text VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	language VARCHAR NOT NULL, 
	agreed BOOLEAN NOT NULL, 
	answered_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "consents" VALUES(1,'ZMXCWYH','s1','consent','1.0','0000000000000000000000000000000000000000000000000000000000000000','en',1,'2026-01-02T09:00:07.000000Z');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema','registry/1.2');
CREATE TABLE people (
	code VARCHAR(16) NOT NULL, 
	role VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	axis VARCHAR, 
	rung INTEGER, 
	enrolled_utc VARCHAR NOT NULL, 
	PRIMARY KEY (code), 
	CONSTRAINT role_known CHECK (role IN ('lead', 'expert', 'participant')), 
	CONSTRAINT axis_with_rung CHECK ((axis IS NULL) = (rung IS NULL))
);
INSERT INTO "people" VALUES('ZMXCWYH','lead','main','deutan',3,'2026-01-02T09:00:00.000000Z');
INSERT INTO "people" VALUES('MFQFSRQ','expert','main',NULL,NULL,'2026-01-02T09:00:01.000000Z');
INSERT INTO "people" VALUES('MZCPMTJ','lead','pilot','protan',2,'2026-01-02T09:00:02.000000Z');
CREATE TABLE sessions (
	session VARCHAR(120) NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	pack_id VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	trials_done INTEGER NOT NULL, 
	started_utc VARCHAR NOT NULL, 
	heard_utc VARCHAR NOT NULL, 
	ended_utc VARCHAR, 
	disqualified_utc VARCHAR, 
	PRIMARY KEY (session), 
	CONSTRAINT state_known CHECK (state IN ('running', 'stopped', 'complete')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "sessions" VALUES('s1','ZMXCWYH','accept_reject','p1','main','rig-1','stopped',7,'2026-01-02T09:00:04.000000Z','2026-01-02T09:00:06.000000Z','2026-01-02T09:00:06.000000Z','2026-01-02T09:00:05.500000Z');
CREATE TABLE withdrawals (
	code VARCHAR(16) NOT NULL, 
	withdrawn_utc VARCHAR NOT NULL, 
	PRIMARY KEY (code)
);
INSERT INTO "withdrawals" VALUES('MZCPMTJ','2026-01-02T09:00:08.000000Z');
CREATE UNIQUE INDEX one_assignment_a_pack ON assignments (code, pack_id, purpose);
CREATE INDEX sessions_of_a_code ON sessions (code);
CREATE INDEX consents_of_a_code ON consents (code);
COMMIT;
